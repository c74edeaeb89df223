#include "traffic/load/schedule.h"

#include <algorithm>
#include <cmath>

namespace hone::traffic::load {

namespace {

// The mix has a stream of its own: what is sent does not depend on how arrivals are drawn.
constexpr std::uint64_t kMixPurpose = 0x6d6978;  // "mix"

}  // namespace

Schedule::Schedule(const Share& share, Mix mix) : share_(share), mix_(std::move(mix)) {}

void Schedule::prepare(const SliceSpec& spec) {
  // By count and not by time: a jittered request at the slice's very end would be in or out by
  // luck.
  left_ =
      static_cast<std::uint64_t>(std::max<long long>(1, std::llround(spec.rate * spec.duration_s)));
  times_ = DueTimes(spec.arrivals, spec.rate, spec.seed);
  times_.fit(left_);
  mix_.seed(derive_seed(spec.seed, kMixPurpose));
}

void Schedule::begin(system::Instant start) {
  start_ = start;
  find_next();
}

void Schedule::pop() { find_next(); }

void Schedule::cut() {
  const auto connections = static_cast<std::uint64_t>(share_.connections);
  connection_ = (connection_ + left_) % connections;
  left_ = 0;
  has_next_ = false;
}

void Schedule::find_next() {
  const auto connections = static_cast<std::uint64_t>(share_.connections);
  const auto workers = static_cast<std::uint64_t>(share_.workers);
  while (left_ > 0) {
    --left_;
    const std::int64_t offset = times_.next_ns();
    const std::uint16_t request = mix_.draw();
    const std::uint64_t connection = connection_;
    connection_ = connection_ + 1 == connections ? 0 : connection_ + 1;
    if (connection % workers != static_cast<std::uint64_t>(share_.worker)) continue;
    next_ = {start_ + system::Duration(offset), static_cast<int>(connection / workers), request};
    has_next_ = true;
    return;
  }
  has_next_ = false;
}

}  // namespace hone::traffic::load
