// What a request costs beside waking up. Waking a sleeping server costs CPU that no rebuild mends,
// so the cost of a request depends on how requests arrive:
//
//   CPU per request = work + (CPU per wake) x wakes per request
//
// a straight line over arrival patterns of one rate (docs/method.md). The patterns must be enough
// to see whether it is one: where the line does not fit, the work is not claimed.
#pragma once

#include <optional>
#include <vector>

namespace hone::measure {

// Two patterns make a line, a third can contradict it, and a fourth shows that the third was no
// chance.
inline constexpr int kLeastPatterns = 4;

// One arm in one round, per request: CPU in any unit, above 0, and wakes.
struct WakePoint {
  double cost = 0, wakes = 0;
};

struct WakesFit {
  double work = 0, work_low = 0, work_high = 0;  // extrapolated to no wakes; 95 % t interval
  double per_wake = 0;
  // Of an F test of the patterns' distances from the line against the scatter of rounds around
  // their pattern (Draper and Smith, Applied Regression Analysis, 1998, chapter 2: lack of fit).
  double lack_of_fit_p = 1;
  bool holds() const { return lack_of_fit_p >= 0.05; }
};

// `patterns`: the rounds of each. Weighted by 1/cost^2 of the pattern, since rounds scatter by a
// share of what they measure. Nothing with fewer than kLeastPatterns, a pattern of fewer than two
// rounds, a cost that is not positive, or wakes that are the same in all of them.
std::optional<WakesFit> fit_wakes(const std::vector<std::vector<WakePoint>>& patterns);

// Whether groups of values have one mean: the p of a one-way analysis of variance. 1 with fewer
// than two groups, or a group of fewer than two values.
double same_mean_p(const std::vector<std::vector<double>>& groups);

}  // namespace hone::measure
