// Events of an arm's processes while it is under load: what its CPU time was spent on.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/json.h"
#include "system/perf_events.h"
#include "system/process_tree.h"

namespace hone::measure {

// A figure, or the reason why there is none.
struct Counter {
  std::string name;         // "instructions, user"
  double count = 0;         // while `ok` requests were answered
  std::uint64_t ok = 0;     // filled in by whoever gave the load
  std::string unavailable;  // "not available here: ..."; the figures are then 0
};
HONE_JSON(Counter)

using EventSet = std::vector<system::PerfEvent>;
const char* name(system::PerfEvent);

// The sets that a proof counts, each small enough for the counters of common CPUs: cycles and
// instructions, user and kernel apart; what misses a prediction or a cache; top-down, level 1;
// system calls by class.
const std::vector<EventSet>& event_sets();

// Counts over `work` in every thread of the tree of `root` and in all that they start, one counter
// per event. Where the CPU had to share its counters, they are scaled by the time they ran, and
// refused where that is below 95 %. `work` is not called where nothing can be counted; only its own
// failure, or that of reading the tree, is an error. Precondition: the tree is quiet before and
// after `work`.
Result<std::vector<Counter>> count_events(const system::ProcessTable&, system::PerfEvents&,
                                          pid_t root, const EventSet&,
                                          const std::function<Status()>& work);

}  // namespace hone::measure
