// When requests are due. Pure: a sequence of times from a rate, a kind and a seed, the same for all
// arms of a round.
#pragma once

#include <cstdint>
#include <string>

#include "base/error.h"
#include "base/json.h"
#include "base/random.h"
#include "traffic/load/rate_phase.h"

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
  // Of one phase; rates are over all connections. What is evenly apart, or exponential, are the
  // numbers of requests due by then: a kind of arrivals is the same at any rate.
  DueTimes(const Arrivals&, const RatePhase&, std::uint64_t seed);
  // rate > 0, without an end.
  DueTimes(const Arrivals& arrivals, double rate, std::uint64_t seed)
      : DueTimes(arrivals, RatePhase{rate, rate, 1}, seed) {}
  // Makes the next `count` times fill the phase, which has `requests` of them and parts of one.
  // Even arrivals do so by themselves; for
  // Poisson the gaps are stretched to fit, which gives a Poisson process that is known to have
  // `count` arrivals in that time. Without it a slice of 4,000 requests would differ from its rate
  // by 1.6 % (one deviation) by luck alone, and no check on the achieved rate could be strict.
  void fit(std::uint64_t count, double requests);
  void fit(std::uint64_t count) { fit(count, static_cast<double>(count)); }
  // Offset of the next request from the start of the phase, in ns. Never decreases: jitter is less
  // than half a gap, so it keeps the order. The first one of even and burst arrivals is at 0 (plus
  // jitter).
  std::int64_t next_ns();

 private:
  std::int64_t time_of(double requests) const;

  Arrivals arrivals_;
  double rate_;          // at the beginning, per second
  double slope_;         // by which it changes, per second and second
  double gap_ns_;        // where the rate is constant
  double stretch_ = 1;   // of Poisson gaps, from fit()
  double scale_ = 1;     // of the other kinds' numbers, likewise
  double requests_ = 0;  // Poisson: due by the last one
  std::uint64_t index_ = 0;
  Random random_;
};

}  // namespace hone::traffic::load
