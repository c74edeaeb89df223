// CPU and wakes of an arm's process tree between two quiet moments.
#pragma once

#include <sys/types.h>

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

// What one slice cost. `restarted`: the set of processes changed, or ended children added time;
// the figures are then the least that can be said, never negative.
struct SliceCost {
  double cpu_s = 0;
  std::uint64_t wakes = 0;
  double run_delay_s = 0;
  double user_s = 0, system_s = 0;
  bool restarted = false;
};
HONE_JSON(SliceCost)
SliceCost difference(const system::TreeUsage& before, const system::TreeUsage& after);

}  // namespace hone::measure
