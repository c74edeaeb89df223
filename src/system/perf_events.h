// Events of running threads, counted by the kernel and, for most of them, by the CPU itself
// (perf_event_open(2)).
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/error.h"

namespace hone::system {

enum class PerfEvent {
  kCyclesUser,
  kCyclesKernel,
  kInstructionsUser,
  kInstructionsKernel,
  kBranchMissesUser,
  kL1iMissesUser,   // instruction fetches that miss the first cache
  kItlbMissesUser,  // and the first buffer of address translations
  // What became of the CPU's issue slots, user and kernel together; the first leads its group.
  kTopdownSlots,
  kTopdownRetiring,
  kTopdownBadSpeculation,
  kTopdownFrontend,
  kTopdownBackend,
  // By the kernel, on any machine.
  kTaskClock,  // ns
  kPageFaults,
  kContextSwitches,
  // System calls, by the kernel: all of them, and by class (syscall_classes.h).
  kSyscalls,
  kSyscallsReceive,  // from a socket or a file
  kSyscallsSend,     // to a socket or a file
  kSyscallsWait,
  kSyscallsSockets,  // connections made, taken, set up
  kSyscallsFiles,
  kSyscallsMemory,
  kSyscallsFutex,
  kSyscallsTime,
  kSyscallsOther,
};

// All threads of a group together, since it was opened. The times are CPU time of the threads.
struct EventReading {
  std::vector<std::uint64_t> counts;  // by event as asked for; 0 where it is not counted
  std::uint64_t enabled_ns = 0;
  std::uint64_t running_ns = 0;  // less: the CPU's counters were shared with other groups meanwhile
};

// Counts until destroyed. Threads and processes that its threads start are counted too; a thread's
// figures are whole when it is not running.
class EventGroup {
 public:
  virtual ~EventGroup() = default;
  virtual Result<EventReading> read() const = 0;
  // By event as asked for: "", or why this machine does not count it.
  virtual const std::vector<std::string>& unavailable() const = 0;
};

// Interface, so that machines with other counters than this one can be tested.
class PerfEvents {
 public:
  virtual ~PerfEvents() = default;
  // Events of a group are on the CPU's counters together or not at all, so that their ratios hold.
  // An event that the machine lacks is left out of the group; kNotFound when none is left,
  // kPermission when the kernel refuses, both with the reason as text for a reader.
  virtual Result<std::unique_ptr<EventGroup>> open(const std::vector<pid_t>& threads,
                                                   const std::vector<PerfEvent>&) = 0;
};

}  // namespace hone::system
