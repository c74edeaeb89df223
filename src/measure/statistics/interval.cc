#include "measure/statistics/interval.h"

#include <cmath>

#include "measure/statistics/student.h"

namespace hone::measure {

Estimate mean_interval(const std::vector<double>& values) {
  if (values.empty()) return {};
  const auto n = static_cast<double>(values.size());
  double mean = 0;
  for (const double value : values) mean += value / n;
  if (values.size() == 1) return {mean, mean, mean};
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  const double half =
      t_quantile(0.975, static_cast<int>(values.size()) - 1) * std::sqrt(squares / (n - 1) / n);
  return {mean, mean - half, mean + half};
}

}  // namespace hone::measure
