#include "pipeline/report/axis.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace hone::pipeline::report {
namespace {

// Fourteen steps can be told apart on paper and on 80 columns; the steps are those of rulers.
constexpr int kMostSteps = 14;
// A value that lies on a tick but for its last bits needs no further tick.
constexpr double kRounding = 1e-9;
constexpr double kSteps[] = {0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000};

}  // namespace

std::vector<Forest::Tick> percent_ticks(double low, double high) {
  const double from = std::min(low, 0.0) * 100, to = std::max(high, 0.0) * 100;
  double step = kSteps[0];
  for (const double candidate : kSteps) {
    step = candidate;
    if (std::ceil(to / step - kRounding) - std::floor(from / step + kRounding) <= kMostSteps) break;
  }
  const auto first = static_cast<int>(std::floor(from / step + kRounding));
  const auto last = std::max(static_cast<int>(std::ceil(to / step - kRounding)), first + 1);
  std::vector<Forest::Tick> ticks;
  for (int i = first; i <= last; ++i) {
    const double percent = i * step;
    ticks.push_back({percent / 100, i == 0 ? "0" : fmt::format("{:+g}", percent)});
  }
  return ticks;
}

}  // namespace hone::pipeline::report
