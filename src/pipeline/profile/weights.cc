// A leg's counts are per run; its weight makes them per request of the user's traffic: in K
// requests share x K belong to the leg, and the leg answered `requests` of them. Start-up fits the
// same formula: its share is starts per request, its requests are starts.
#include <algorithm>
#include <cmath>
#include <limits>

#include "pipeline/profile/profile.h"

namespace hone::pipeline {
namespace {

// One per cent steps for the lightest leg; every other leg is rounded more finely.
constexpr double kSmallestWeight = 100;
// llvm-profdata adds counters in 64 bits and the sum of all of them in 64 bits as well, the one
// saturating, the other wrapping around. Half of 2^63 leaves room for rounding the weights.
constexpr double kMostCounts = 4611686018427387904.0;  // 2^62

}  // namespace

std::vector<std::uint64_t> leg_weights(const std::vector<Leg>& legs) {
  std::vector<double> per_request;
  double smallest = std::numeric_limits<double>::infinity();
  for (const Leg& leg : legs) {
    const bool counts = leg.requests > 0 && leg.share > 0;
    per_request.push_back(counts ? leg.share / static_cast<double>(leg.requests) : 0);
    if (counts) smallest = std::min(smallest, per_request.back());
  }
  if (!std::isfinite(smallest)) return std::vector<std::uint64_t>(legs.size(), 0);
  double k = kSmallestWeight / smallest;
  double counts_per_k = 0;  // of the sum, and of a weight alone
  for (std::size_t i = 0; i < legs.size(); ++i) {
    const auto total = static_cast<double>(std::max<std::uint64_t>(legs[i].total_count, 1));
    counts_per_k += per_request[i] * total;
  }
  k = std::min(k, kMostCounts / counts_per_k);
  std::vector<std::uint64_t> weights;
  for (const double factor : per_request) {
    const double weight = factor > 0 ? std::max(std::round(factor * k), 1.0) : 0;
    weights.push_back(static_cast<std::uint64_t>(weight));
  }
  return weights;
}

}  // namespace hone::pipeline
