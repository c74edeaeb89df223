#include "pipeline/sweep/ratio.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>

#include "measure/statistics/interval.h"

namespace hone::pipeline {
namespace {

using Passes = std::map<int, std::vector<const SweepPoint*>>;  // of one arm, by repeat

Passes passes_of(const std::vector<SweepPoint>& points, const std::string& arm) {
  Passes passes;
  for (const SweepPoint& point : points) {
    if (point.arm == arm) passes[point.repeat].push_back(&point);
  }
  return passes;
}

std::optional<RateRatio> ratio_at(const Passes& a, const Passes& b, double busy) {
  std::vector<double> logs;
  double log_a = 0, log_b = 0;
  for (const auto& [repeat, points] : a) {
    const auto other = b.find(repeat);
    if (other == b.end()) continue;
    const auto rate_a = rate_at(points, busy);
    const auto rate_b = rate_at(other->second, busy);
    if (!rate_a || !rate_b) continue;
    logs.push_back(std::log(*rate_b / *rate_a));
    log_a += std::log(*rate_a);
    log_b += std::log(*rate_b);
  }
  if (logs.empty()) return std::nullopt;
  const auto n = static_cast<double>(logs.size());
  const measure::Estimate mean = measure::mean_interval(logs);
  RateRatio ratio;
  ratio.busy = busy;
  ratio.rate_a = std::exp(log_a / n);
  ratio.rate_b = std::exp(log_b / n);
  ratio.ratio = {std::expm1(mean.effect), std::expm1(mean.low), std::expm1(mean.high)};
  ratio.repeats = static_cast<int>(logs.size());
  return ratio;
}

}  // namespace

std::optional<double> rate_at(const std::vector<const SweepPoint*>& points, double busy) {
  std::vector<const SweepPoint*> usable;
  std::copy_if(points.begin(), points.end(), std::back_inserter(usable),
               [](const SweepPoint* point) { return carried(*point); });
  std::sort(usable.begin(), usable.end(),
            [](const auto* left, const auto* right) { return left->rate < right->rate; });
  for (std::size_t i = 1; i < usable.size(); ++i) {
    const SweepPoint& below = *usable[i - 1];
    const SweepPoint& above = *usable[i];
    if (below.server_busy > busy || above.server_busy < busy) continue;
    if (above.server_busy <= below.server_busy) return below.rate;
    const double share = (busy - below.server_busy) / (above.server_busy - below.server_busy);
    return below.rate + share * (above.rate - below.rate);
  }
  return std::nullopt;
}

std::vector<RateRatio> rate_ratios(const std::vector<SweepPoint>& points, const std::string& a,
                                   const std::string& b) {
  const Passes of_a = passes_of(points, a), of_b = passes_of(points, b);
  std::vector<RateRatio> ratios;
  for (int tenth = 1; tenth <= 9; ++tenth) {
    if (const auto ratio = ratio_at(of_a, of_b, tenth / 10.0)) ratios.push_back(*ratio);
  }
  return ratios;
}

}  // namespace hone::pipeline
