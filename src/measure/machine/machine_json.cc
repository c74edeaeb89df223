#include "measure/machine/machine.h"

namespace hone::measure {

HONE_JSON_FIELDS(Environment, steal, foreign_cpu, throttled_s, run_delay, crowded, missed,
                 spin_drift)

}  // namespace hone::measure
