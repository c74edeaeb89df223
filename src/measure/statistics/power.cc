// An effect is called when the t test and the floor both let it pass. Both are bars for the same
// number, the mean over rounds: the t test's is a multiple of its own standard error, so its power
// is the noncentral t's. The floor of a like proof lies about where this one's was seen, and the
// mean has to exceed it by what the difference of two uncertain numbers takes for 80 %. Taking the
// sum of both bars was rejected (it would ask for the margin twice), and so was taking the floor as
// certain: in simulated proofs the promised 80 % were then 72 %.
#include "measure/statistics/power.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "measure/statistics/comparison.h"
#include "measure/statistics/student.h"

namespace hone::measure {
namespace {

// A round of three arms and eight slices takes about 15 s: a thousand are four hours, and beyond
// that the answer is another machine, not patience.
constexpr int kMostRounds = 1000;
// Of rounds_to_find(): the 95 % of the intervals.
constexpr double kFindingLevel = 0.05;

// The floor is |m| + t s for a control with mean m and standard error s. Around a true 0 the
// deviation of |m| is s sqrt(1 - 2/pi) (half-normal), that of s itself about s / sqrt(2 (n - 1)).
double floor_error(double control_error, int degrees) {
  const double of_mean = 1 - 2 / std::numbers::pi;
  const double of_width = std::pow(t_quantile(0.975, degrees), 2) / (2 * degrees);
  return control_error * std::sqrt(of_mean + of_width);
}

double detectable_log(const Spread& spread, double alpha) {
  const int degrees = spread.rounds - 1;
  const double error = spread.sd / std::sqrt(spread.rounds);
  const double by_test = noncentrality_for(kPower, degrees, alpha) * error;
  const double margin = std::hypot(error, floor_error(spread.control_error, degrees));
  const double by_floor = std::log1p(spread.floor) + t_quantile(kPower, degrees) * margin;
  return std::max(by_test, by_floor);
}

// What a proof of another length would show: means and floor shrink with the root of the rounds.
Spread at(const Spread& spread, int rounds) {
  const double shrink = std::sqrt(static_cast<double>(spread.rounds) / rounds);
  return {spread.sd, std::expm1(std::log1p(spread.floor) * shrink), spread.control_error * shrink,
          rounds};
}

// Whether two one-sided 5 % tests would both put an effect of this size inside +-margin. Each may
// miss with half of the 20 %, so that together they miss with at most 20 % wherever the effect
// lies.
bool would_be_same(double sd, double log_effect, double log_margin, int rounds) {
  const int degrees = rounds - 1;
  const double error = sd / std::sqrt(rounds);
  const double reach = t_quantile(0.95, degrees) + t_quantile(1 - (1 - kPower) / 2, degrees);
  return std::fabs(log_effect) + reach * error < log_margin;
}

}  // namespace

double smallest_detectable(const Spread& spread, double alpha) {
  return std::expm1(detectable_log(spread, alpha));
}

std::optional<int> rounds_to_find(double effect, double sd) {
  for (int rounds = kLeastRounds; rounds <= kMostRounds; ++rounds) {
    const double error = sd / std::sqrt(rounds);
    // A normal quantile is a bound that is quick to compute; most steps end here.
    if (std::log1p(effect) < 2.8 * error) continue;
    if (std::log1p(effect) >= noncentrality_for(kPower, rounds - 1, kFindingLevel) * error)
      return rounds;
  }
  return std::nullopt;
}

std::optional<int> rounds_needed(const Spread& spread, double log_effect, double smallest_effect,
                                 double alpha) {
  // The upper end of +-smallest_effect is the nearer one on the log scale.
  const double log_margin = std::log1p(smallest_effect);
  const auto resolves = [&](int rounds) {
    return std::fabs(log_effect) >= detectable_log(at(spread, rounds), alpha) ||
           would_be_same(spread.sd, log_effect, log_margin, rounds);
  };
  int low = std::max(kLeastRounds, spread.rounds + 1);
  int high = kMostRounds;
  if (low > high || !resolves(high)) return std::nullopt;
  while (low < high) {  // both ways to resolve only get easier with more rounds
    const int middle = (low + high) / 2;
    if (resolves(middle)) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

}  // namespace hone::measure
