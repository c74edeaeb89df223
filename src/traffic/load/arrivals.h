// When requests are due. Pure: a sequence of times from a rate, a kind and a seed, the same for all
// arms of a round.
#pragma once

#include <cstdint>
#include <string>

#include "base/error.h"
#include "base/json.h"
#include "base/random.h"

namespace hone::traffic::load {

struct Arrivals {
  enum class Kind {
    kEven,        // one gap apart, each jittered by up to a quarter gap either way
    kEvenStrict,  // without jitter: exact rates lock to the kernel's tick
    kPoisson,     // exponential gaps
    kBurst,       // `burst` requests at one time, the times evenly apart
  };
  Kind kind = Kind::kPoisson;
  int burst = 1;
};
Result<Arrivals> parse_arrivals(
    const std::string& text);  // "even", "even:strict", "poisson", "burst:16"
std::string to_string(const Arrivals&);

class DueTimes {
 public:
  // rate > 0, in requests per second over all connections.
  DueTimes(const Arrivals&, double rate, std::uint64_t seed);
  // Makes the next `count` times fill `count` gaps exactly. Even arrivals do so by themselves; for
  // Poisson the gaps are stretched to fit, which gives a Poisson process that is known to have
  // `count` arrivals in that time. Without it a slice of 4,000 requests would differ from its rate
  // by 1.6 % (one deviation) by luck alone, and no check on the achieved rate could be strict.
  void fit(std::uint64_t count);
  // Offset of the next request from the start of the run, in ns. Never decreases: jitter is less
  // than half a gap, so it keeps the order. The first one of even and burst arrivals is at 0 (plus
  // jitter).
  std::int64_t next_ns();

 private:
  Arrivals arrivals_;
  double gap_ns_;
  double stretch_ = 1;  // of Poisson gaps, from fit()
  double at_ns_ = 0;
  std::uint64_t index_ = 0;
  Random random_;
};

}  // namespace hone::traffic::load
