// Where the kernel tells which number a tracepoint has.
#pragma once

#include <cstdint>
#include <string>

#include "base/error.h"

namespace hone::system {

// Of "raw_syscalls/sys_enter", from tracefs: as the machine has mounted it, else through a mount of
// our own that nobody else sees and that is gone on return (root only). kPermission, or kNotFound
// where the kernel has no such tracepoint; "not available here: ..." for a reader.
Result<std::uint64_t> tracepoint_number(const std::string& name);

}  // namespace hone::system
