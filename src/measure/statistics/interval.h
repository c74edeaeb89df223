// Mean and interval of plain values in their own unit (microseconds saved per request).
#pragma once

#include <vector>

#include "measure/statistics/comparison.h"

namespace hone::measure {

// 95 % Student t interval of the mean. With one value all three ends are that value; with none, 0.
// `effect` holds the mean.
Estimate mean_interval(const std::vector<double>& values);

}  // namespace hone::measure
