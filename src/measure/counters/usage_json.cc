#include "measure/counters/usage.h"

namespace hone::measure {

HONE_JSON_FIELDS(SliceCost, cpu_s, wakes, run_delay_s, user_s, system_s, restarted)

}  // namespace hone::measure
