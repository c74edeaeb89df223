#include "measure/counters/callgrind.h"

namespace hone::measure {

HONE_JSON_FIELDS(SimulatedCounts, instructions, l1i_misses, ll_misses)

}  // namespace hone::measure
