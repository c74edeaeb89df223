#include "measure/counters/events.h"

namespace hone::measure {

HONE_JSON_FIELDS(Counter, name, count, ok, unavailable)

}  // namespace hone::measure
