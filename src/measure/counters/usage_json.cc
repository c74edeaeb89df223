#include "measure/counters/usage.h"

namespace hone::measure {

HONE_JSON_FIELDS(SliceCost, cpu_s, cgroup_cpu_s, no_cgroup, beyond_clocks_s, wakes, preempted,
                 minor_faults, major_faults, run_delay_s, user_s, system_s, restarted)
HONE_JSON_FIELDS(ThreadCost, name, cpu_s, wakes, migrations)

}  // namespace hone::measure
