// System calls sorted by what a server makes them for. By number alone a socket is not told from a
// file, so reading from one is in a class with reading from the other.
#pragma once

#include <optional>
#include <string>

#include "system/perf_events.h"

namespace hone::system {

// A filter for the tracepoint raw_syscalls:sys_enter that leaves the calls of this event's class;
// "" for all calls. Nothing for an event that counts no system calls. Every number, known here or
// not, is in exactly one class.
std::optional<std::string> sys_enter_filter(PerfEvent);

}  // namespace hone::system
