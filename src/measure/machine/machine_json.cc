#include "measure/machine/machine.h"

#include "measure/machine/state.h"

namespace hone::measure {

HONE_JSON_FIELDS(MachineState, wall_s, devices, kernel, softirqs, thermal_throttles, swapped_pages,
                 hottest_c, settings)
HONE_JSON_FIELDS(Environment, steal, foreign_cpu, throttled_s, run_delay, crowded, missed,
                 spin_drift)

}  // namespace hone::measure
