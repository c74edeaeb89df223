#include "traffic/load/schedule.h"

#include <algorithm>
#include <cmath>

namespace hone::traffic::load {

namespace {

// The mix has a stream of its own: what is sent does not depend on how arrivals are drawn.
constexpr std::uint64_t kMixPurpose = 0x6d6978;  // "mix"

// Of the phases after the first, which has the slice's own seed.
constexpr std::uint64_t kPhasePurpose = 0x706861736500;  // "phase" and room for a number

}  // namespace

Schedule::Schedule(const Share& share, Mix mix) : share_(share), mix_(std::move(mix)) {}

void Schedule::prepare(const SliceSpec& spec) {
  std::vector<RatePhase> rates = spec.phases;
  if (rates.empty()) rates.push_back({spec.rate, spec.rate, spec.duration_s});
  phases_.clear();
  phase_ = 0;
  double requests = 0, begin_s = 0;
  long long counted = 0;
  for (std::size_t i = 0; i < rates.size(); ++i) {
    // By count and not by time: a jittered request at the very end would be in or out by luck. Of
    // the sum, so that parts of a request in each phase do not add up to one too few.
    requests += rates[i].requests();
    const bool last = i + 1 == rates.size();
    const long long until = std::max<long long>(std::llround(requests), last ? 1 : 0);
    const auto count = static_cast<std::uint64_t>(until - counted);
    const auto seed = i == 0 ? spec.seed : derive_seed(spec.seed, kPhasePurpose + i);
    phases_.push_back({DueTimes(spec.arrivals, rates[i], seed), count, system::seconds(begin_s)});
    phases_.back().times.fit(count, rates[i].requests());
    counted = until;
    begin_s += rates[i].duration_s;
  }
  mix_.seed(derive_seed(spec.seed, kMixPurpose));
}

void Schedule::begin(system::Instant start) {
  start_ = start;
  find_next();
}

void Schedule::pop() { find_next(); }

void Schedule::cut() {
  const auto connections = static_cast<std::uint64_t>(share_.connections);
  for (Phase& phase : phases_) {
    connection_ = (connection_ + phase.left) % connections;
    phase.left = 0;
  }
  has_next_ = false;
}

void Schedule::find_next() {
  const auto connections = static_cast<std::uint64_t>(share_.connections);
  const auto workers = static_cast<std::uint64_t>(share_.workers);
  while (phase_ < phases_.size()) {
    Phase& phase = phases_[phase_];
    if (phase.left == 0) {
      ++phase_;
      continue;
    }
    --phase.left;
    const system::Duration offset = phase.begin + system::Duration(phase.times.next_ns());
    const std::uint16_t request = mix_.draw();
    const std::uint64_t connection = connection_;
    connection_ = connection_ + 1 == connections ? 0 : connection_ + 1;
    if (connection % workers != static_cast<std::uint64_t>(share_.worker)) continue;
    next_ = {start_ + offset, static_cast<int>(connection / workers), request};
    has_next_ = true;
    return;
  }
  has_next_ = false;
}

}  // namespace hone::traffic::load
