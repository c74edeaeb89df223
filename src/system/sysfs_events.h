// Events that the kernel names for this CPU in sysfs, where perf_event_open(2) has no name for
// them.
#pragma once

#include <cstdint>
#include <string>

#include "base/error.h"
#include "system/files.h"

namespace hone::system {

inline constexpr const char* kEventSources = "/sys/bus/event_source/devices";

struct SysfsEvent {
  std::uint32_t type = 0;  // of perf_event_attr, and so is
  std::uint64_t config = 0;
};
// Of the CPU, or of its larger cores where it has two kinds. kNotFound where it is not named, or
// named in a way that this does not read; "not available here: ..." for a reader.
Result<SysfsEvent> cpu_event(const Path& sources, const std::string& name);

}  // namespace hone::system
