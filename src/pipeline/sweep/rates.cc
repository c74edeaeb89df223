#include "pipeline/sweep/rates.h"

#include <algorithm>
#include <cmath>

namespace hone::pipeline {
namespace {

constexpr double kFirstProbe = 500;    // any server that serves at all serves this (calibrate.cc)
constexpr double kLowestProbe = 3.5;   // below it half a second holds no request to judge
constexpr double kHighestProbe = 1e7;  // no generator of one thread comes near
constexpr double kNarrow = 1.1;        // points then lie closer to the ceiling than this

constexpr double kBend = 0.7, kTop = 1.15;

// Held in the first or the second of two tries.
Result<Probe> probe_twice(const std::function<Result<Probe>(double)>& probe, double rate) {
  HONE_TRY(Probe first, probe(rate));
  if (first.held) return first;
  return probe(rate);
}

}  // namespace

Result<FoundCeiling> search_ceiling(const std::function<Result<Probe>(double rate)>& probe) {
  FoundCeiling found;
  double rate = kFirstProbe;
  double too_high = 0;
  const auto look = [&]() -> Status {
    HONE_TRY(const Probe seen, probe_twice(probe, rate));
    if (seen.held) {
      found.rate = rate;
    } else {
      too_high = rate;
      found.generator_limited = seen.generator_limited;
      found.why = seen.why;
    }
    return {};
  };
  while (too_high <= 0 && rate <= kHighestProbe) {
    HONE_CHECK(look());
    rate *= 2;
  }
  rate = too_high;
  while (found.rate <= 0 && rate / 2 >= kLowestProbe) {
    rate /= 2;
    HONE_CHECK(look());
  }
  while (found.rate > 0 && too_high > kNarrow * found.rate) {
    rate = typed_rate(std::sqrt(found.rate * too_high));
    HONE_CHECK(look());
  }
  return found;
}

std::vector<double> spread_rates(const std::vector<FoundCeiling>& found, int points) {
  const auto [lowest, highest] = std::minmax_element(
      found.begin(), found.end(), [](const auto& a, const auto& b) { return a.rate < b.rate; });
  const double bend = kBend * lowest->rate;
  const double top = (highest->generator_limited ? 1 : kTop) * highest->rate;
  const int flat = points / 3, bent = points - flat;
  std::vector<double> rates;
  for (int i = 1; i <= flat; ++i) rates.push_back(typed_rate(bend * i / flat));
  for (int i = 1; i <= bent; ++i) rates.push_back(typed_rate(bend + (top - bend) * i / bent));
  rates.erase(std::unique(rates.begin(), rates.end()), rates.end());
  return rates;
}

std::vector<PassItem> pass_order(std::size_t arms, const std::vector<double>& rates,
                                 Random& random) {
  std::vector<PassItem> items;
  for (const double rate : rates) {
    for (std::size_t arm = 0; arm < arms; ++arm) items.push_back({arm, rate});
  }
  random.shuffle(items);
  return items;
}

}  // namespace hone::pipeline
