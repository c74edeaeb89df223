#include "base/histogram.h"

namespace hone {

HONE_JSON_FIELDS(LatencySummary, p50, p90, p99, p999, max, mean)

}  // namespace hone
