#include "measure/statistics/wakes_fit.h"

#include <algorithm>
#include <cmath>

#include "measure/statistics/fisher.h"
#include "measure/statistics/student.h"

namespace hone::measure {
namespace {

struct Pattern {
  double weight = 0;  // of one round
  double cost = 0, wakes = 0;
  double scatter = 0;  // sum of squares of its rounds' costs around their mean
  int rounds = 0;
};

std::optional<Pattern> pattern_of(const std::vector<WakePoint>& rounds) {
  Pattern pattern;
  pattern.rounds = static_cast<int>(rounds.size());
  if (pattern.rounds < 2) return std::nullopt;
  for (const WakePoint& round : rounds) {
    if (!(round.cost > 0) || !std::isfinite(round.cost)) return std::nullopt;
    pattern.cost += round.cost / pattern.rounds;
    pattern.wakes += round.wakes / pattern.rounds;
  }
  for (const WakePoint& round : rounds) pattern.scatter += std::pow(round.cost - pattern.cost, 2);
  pattern.weight = 1 / (pattern.cost * pattern.cost);
  return pattern;
}

// Weighted least squares of the patterns' means; every pattern counts with its rounds.
struct Line {
  double sum = 0, wakes = 0, cost = 0;  // weighted
  double spread = 0;                    // of the wakes: sum of weighted squares around their mean
  double slope = 0;
  double at(double x) const { return cost + slope * (x - wakes); }
};

Line line_through(const std::vector<Pattern>& patterns) {
  Line line;
  for (const Pattern& one : patterns) {
    const double weight = one.weight * one.rounds;
    line.sum += weight;
    line.wakes += weight * one.wakes;
    line.cost += weight * one.cost;
  }
  line.wakes /= line.sum;
  line.cost /= line.sum;
  double product = 0;
  for (const Pattern& one : patterns) {
    const double weight = one.weight * one.rounds;
    line.spread += weight * std::pow(one.wakes - line.wakes, 2);
    product += weight * (one.wakes - line.wakes) * (one.cost - line.cost);
  }
  line.slope = product / line.spread;
  return line;
}

}  // namespace

std::optional<WakesFit> fit_wakes(const std::vector<std::vector<WakePoint>>& rounds) {
  std::vector<Pattern> patterns;
  for (const auto& one : rounds) {
    const auto pattern = pattern_of(one);
    if (!pattern) return std::nullopt;
    patterns.push_back(*pattern);
  }
  const int k = static_cast<int>(patterns.size());
  if (k < kLeastPatterns) return std::nullopt;
  const Line line = line_through(patterns);
  if (!(line.spread > 0) || !std::isfinite(line.slope)) return std::nullopt;

  int n = 0;
  double pure = 0, lack = 0;
  for (const Pattern& one : patterns) {
    n += one.rounds;
    pure += one.weight * one.scatter;
    lack += one.weight * one.rounds * std::pow(one.cost - line.at(one.wakes), 2);
  }
  WakesFit fit;
  fit.work = line.at(0);
  fit.per_wake = line.slope;
  fit.lack_of_fit_p = f_upper_p((lack / (k - 2)) / (pure / (n - k)), k - 2, n - k);
  const double variance = (pure + lack) / (n - 2);
  const double error = std::sqrt(variance * (1 / line.sum + line.wakes * line.wakes / line.spread));
  const double half = t_quantile(0.975, n - 2) * error;
  fit.work_low = fit.work - half;
  fit.work_high = fit.work + half;
  return fit;
}

double same_mean_p(const std::vector<std::vector<double>>& groups) {
  const int k = static_cast<int>(groups.size());
  if (k < 2) return 1;
  int n = 0;
  double sum = 0;
  for (const auto& group : groups) {
    if (group.size() < 2) return 1;
    n += static_cast<int>(group.size());
    for (const double value : group) sum += value;
  }
  double between = 0, within = 0;
  for (const auto& group : groups) {
    double mean = 0;
    for (const double value : group) mean += value / static_cast<double>(group.size());
    between += static_cast<double>(group.size()) * std::pow(mean - sum / n, 2);
    for (const double value : group) within += std::pow(value - mean, 2);
  }
  return f_upper_p((between / (k - 1)) / (within / (n - k)), k - 1, n - k);
}

}  // namespace hone::measure
