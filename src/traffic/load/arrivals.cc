// Even and burst times are computed from the index, not added up: after an hour at 100,000/s a sum
// of rounded gaps would have drifted, and threads that share one schedule would disagree.
#include "traffic/load/arrivals.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"

namespace hone::traffic::load {
namespace {

constexpr const char* kBurstPrefix = "burst:";

// Larger bursts than one per connection at the largest number of connections make no sense.
constexpr long long kLargestBurst = 65535;

// Jitter reaches this part of a gap to either side: enough to leave the kernel's tick, too little
// to swap two neighbours.
constexpr double kJitter = 0.25;

}  // namespace

Result<Arrivals> parse_arrivals(const std::string& text) {
  using Kind = Arrivals::Kind;
  if (text == "even") return Arrivals{Kind::kEven, 1};
  if (text == "even:strict") return Arrivals{Kind::kEvenStrict, 1};
  if (text == "poisson") return Arrivals{Kind::kPoisson, 1};
  if (text.starts_with(kBurstPrefix)) {
    const auto size = parse_integer(text.substr(std::char_traits<char>::length(kBurstPrefix)));
    if (size && *size >= 1 && *size <= kLargestBurst) {
      return Arrivals{Kind::kBurst, static_cast<int>(*size)};
    }
    return fail(ErrorKind::kUsage, "not a burst size: \"" + text + "\"",
                "write burst:N with N from 1 to " + std::to_string(kLargestBurst));
  }
  return fail(ErrorKind::kUsage, "unknown arrivals \"" + text + "\"",
              "use even, even:strict, poisson or burst:N");
}

std::string to_string(const Arrivals& arrivals) {
  switch (arrivals.kind) {
    case Arrivals::Kind::kEven:
      return "even";
    case Arrivals::Kind::kEvenStrict:
      return "even:strict";
    case Arrivals::Kind::kPoisson:
      return "poisson";
    case Arrivals::Kind::kBurst:
      return kBurstPrefix + std::to_string(arrivals.burst);
  }
  return "";
}

DueTimes::DueTimes(const Arrivals& arrivals, const RatePhase& phase, std::uint64_t seed)
    : arrivals_(arrivals),
      rate_(phase.from),
      slope_((phase.to - phase.from) / phase.duration_s),
      gap_ns_(1e9 / phase.from),
      random_(seed) {}

void DueTimes::fit(std::uint64_t count, double requests) {
  const auto counted = static_cast<double>(count);
  if (arrivals_.kind != Arrivals::Kind::kPoisson) {
    // Rounded up by more than a half, as phases that share parts of a request may be: the last one
    // would lie in the next phase.
    if (counted > requests + 0.5) scale_ = requests / counted;
    return;
  }
  if (count == 0) return;
  Random ahead = random_;
  double total = 0;
  // One gap more than arrivals: the last arrival is not at the very end either.
  for (std::uint64_t i = 0; i <= count; ++i) total += ahead.exponential(1);
  stretch_ = std::min(counted, requests) / total;
}

std::int64_t DueTimes::next_ns() {
  const auto index = static_cast<double>(index_);
  ++index_;
  switch (arrivals_.kind) {
    case Arrivals::Kind::kEven: {
      const double jitter = (2 * random_.uniform() - 1) * kJitter;
      return time_of(std::max(0.0, index + jitter));
    }
    case Arrivals::Kind::kEvenStrict:
      return time_of(index);
    case Arrivals::Kind::kPoisson:
      requests_ += random_.exponential(1) * stretch_;
      return time_of(requests_);
    case Arrivals::Kind::kBurst: {
      const std::uint64_t first = (index_ - 1) / static_cast<std::uint64_t>(arrivals_.burst) *
                                  static_cast<std::uint64_t>(arrivals_.burst);
      return time_of(static_cast<double>(first));
    }
  }
  return 0;
}

// When so many requests have become due: the integral of the rate, inverted. The usual formula for
// the root would subtract two nearly equal numbers where the slope is small.
std::int64_t DueTimes::time_of(double requests) const {
  requests *= scale_;
  if (slope_ == 0) return static_cast<std::int64_t>(requests * gap_ns_);
  if (requests <= 0) return 0;
  const double end_rate = std::sqrt(std::max(0.0, rate_ * rate_ + 2 * slope_ * requests));
  return static_cast<std::int64_t>(2e9 * requests / (rate_ + end_rate));
}

}  // namespace hone::traffic::load
