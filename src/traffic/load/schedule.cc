#include "traffic/load/schedule.h"

#include <algorithm>
#include <cmath>

namespace hone::traffic::load {

Schedule::Schedule(const Share& share) : share_(share) {}

void Schedule::prepare(const SliceSpec& spec) {
  // By count and not by time: a jittered request at the slice's very end would be in or out by
  // luck.
  left_ =
      static_cast<std::uint64_t>(std::max<long long>(1, std::llround(spec.rate * spec.duration_s)));
  times_ = DueTimes(spec.arrivals, spec.rate, spec.seed);
  times_.fit(left_);
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
    const std::uint64_t connection = connection_;
    connection_ = connection_ + 1 == connections ? 0 : connection_ + 1;
    if (connection % workers != static_cast<std::uint64_t>(share_.worker)) continue;
    next_ = {start_ + system::Duration(offset), static_cast<int>(connection / workers)};
    has_next_ = true;
    return;
  }
  has_next_ = false;
}

}  // namespace hone::traffic::load
