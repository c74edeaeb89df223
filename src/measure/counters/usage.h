// CPU and wakes of an arm's process tree between two quiet moments.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/json.h"
#include "system/clock.h"
#include "system/process_tree.h"

namespace hone::measure {

// Reads every 5 ms until reads over 10 ms agree: the same processes, none of them running, and at
// most 20 us of CPU (an idle server's own timers) between one read and the next; at most `limit`.
// kTimeout names the threads that kept running. Precondition: load has stopped and all answers are
// in.
Result<system::TreeUsage> read_when_quiet(const system::ProcessTable&, system::Clock&, pid_t root,
                                          system::Duration limit = system::seconds(2));

// What one slice cost. CPU is that of the processes' own clocks. Where the control group differs
// from it by more than 0.1 % and 40 us (and 20 ms where children have ended), the larger one is
// charged: clocks miss children that nobody waits for, a group misses who leaves it. Below that,
// the group's where children have ended: it tells their time in ns.
//
// `restarted`: the set of processes changed, or ended children added time and no group knows it
// better than in steps of 10 ms; the figures are then the least that can be said, never negative.
struct SliceCost {
  double cpu_s = 0;
  std::optional<double> cgroup_cpu_s;  // nothing without a group, and then why
  std::string no_cgroup;
  double beyond_clocks_s = 0;  // group less clocks, where they differ; else 0
  std::uint64_t wakes = 0;
  std::uint64_t preempted = 0;
  std::uint64_t minor_faults = 0, major_faults = 0;  // without and with a disk
  double run_delay_s = 0;
  double user_s = 0, system_s = 0;
  bool restarted = false;
};
HONE_JSON(SliceCost)
// The name of a counter of that, in us.
constexpr const char* kCgroupCounter = "CPU by control group, us";
SliceCost difference(const system::TreeUsage& before, const system::TreeUsage& after);

// What one thread did over a stretch.
struct ThreadCost {
  std::string name;
  double cpu_s = 0;
  std::uint64_t wakes = 0;
  std::optional<std::uint64_t> migrations;  // nothing where the kernel does not tell
};
HONE_JSON(ThreadCost)
// Those with at least a hundredth of the CPU of all, the busiest first. A thread that ended in
// between is left out, one that began is counted from its start. Precondition: both read when
// quiet.
std::vector<ThreadCost> thread_costs(const std::vector<system::ThreadUsage>& before,
                                     const std::vector<system::ThreadUsage>& after);

}  // namespace hone::measure
