#include "measure/statistics/comparison.h"

namespace hone::measure {

HONE_JSON_FIELDS(Estimate, effect, low, high)

}  // namespace hone::measure
