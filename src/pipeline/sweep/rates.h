// Which rates a sweep visits, and in which order.
#pragma once

#include <functional>
#include <vector>

#include "base/error.h"
#include "base/random.h"
#include "pipeline/sweep/results.h"

namespace hone::pipeline {

struct Probe {
  bool held = false;
  bool generator_limited = false;
  std::string why;  // it did not hold
};

// Doubles the rate from 500 requests/s until it does not hold (halves it where that does not), then
// narrows the gap to a tenth. A rate that does not hold is asked again once, so that a stall of the
// machine is not taken for the ceiling. With `rate` 0 not even 4 requests/s held.
Result<FoundCeiling> search_ceiling(const std::function<Result<Probe>(double rate)>& probe);

// `points` rates, at least 4: a third of them evenly up to 0.7 of the lowest ceiling found, where
// the curves are flat, the others from there to 1.15 of the highest, where they bend and where the
// ceilings lie; no further than a generator-limited ceiling, past which points would show the
// generator. Ceilings above 0.
std::vector<double> spread_rates(const std::vector<FoundCeiling>& found, int points);

struct PassItem {
  std::size_t arm = 0;
  double rate = 0;
};
// Every rate on every arm once, shuffled: neither drift nor what the point before left behind
// sticks to a rate or an arm.
std::vector<PassItem> pass_order(std::size_t arms, const std::vector<double>& rates,
                                 Random& random);

}  // namespace hone::pipeline
