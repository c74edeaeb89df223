#include "pipeline/report/axis.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/units.h"

namespace hone::pipeline::report {
namespace {

// Fourteen steps can be told apart on paper and on 80 columns; the steps are those of rulers.
constexpr int kMostSteps = 14;
// A value that lies on a tick but for its last bits needs no further tick.
constexpr double kRounding = 1e-9;
// Of an axis with room for no more.
constexpr int kMostPlainSteps = 8;
constexpr double kSteps[] = {0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000};

// "12,000", "0.5"
std::string tick_label(double value) {
  return value >= 1000 ? format_count(static_cast<std::uint64_t>(std::llround(value)))
                       : fmt::format("{:g}", value);
}

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

std::vector<Forest::Tick> plain_ticks(double high) {
  const double rough = high / kMostPlainSteps;
  const double power = std::pow(10, std::floor(std::log10(rough)));
  double step = 10 * power;
  for (const double factor : {5.0, 2.0, 1.0}) {
    if (factor * power >= rough * (1 - kRounding)) step = factor * power;
  }
  std::vector<Forest::Tick> ticks;
  const auto last = static_cast<int>(std::ceil(high / step - kRounding));
  for (int i = 0; i <= last; ++i) ticks.push_back({i * step, tick_label(i * step)});
  return ticks;
}

std::vector<Forest::Tick> log_ticks(double low, double high) {
  std::vector<Forest::Tick> ticks;
  for (int power = static_cast<int>(std::floor(std::log10(low)));; ++power) {
    for (const double factor : {1.0, 2.0, 5.0}) {
      const double value = factor * std::pow(10, power);
      // Only the last tick below the range begins the axis.
      if (value <= low * (1 + kRounding)) ticks.clear();
      ticks.push_back({std::log10(value), tick_label(value)});
      if (value >= high * (1 - kRounding) && ticks.size() > 1) return ticks;
    }
  }
}

}  // namespace hone::pipeline::report
