// How perf_event_open(2) is asked for an event.
#pragma once

#include <linux/perf_event.h>

#include <string>
#include <vector>

#include "base/error.h"
#include "system/perf_events.h"

namespace hone::system {

struct CountedEvent {
  perf_event_attr attributes{};  // of a group that whoever is started inherits
  std::string filter;            // to be set on its descriptor; "": none
};
// Each an error where the kernel does not even name it; the text is for a reader.
std::vector<Result<CountedEvent>> counted_events(const std::vector<PerfEvent>&);

}  // namespace hone::system
