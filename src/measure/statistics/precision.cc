#include "measure/statistics/precision.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "measure/statistics/student.h"

namespace hone::measure {

int rounds_for_precision(const std::vector<RoundCost>& first_stage, double precision) {
  const int first = static_cast<int>(first_stage.size());
  const double sd = judge(first_stage, {}).pair_sd;
  if (first < 2 || sd <= 0) return first;
  const double ratio = t_quantile(0.975, first - 1) * sd / std::log1p(precision);
  const double rounds = std::ceil(ratio * ratio);
  constexpr int kMost = std::numeric_limits<int>::max();
  return rounds >= kMost ? kMost : std::max(first, static_cast<int>(rounds));
}

}  // namespace hone::measure
