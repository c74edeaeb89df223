#include "system/clock.h"

#include <ctime>

#include <algorithm>

#include "system/interrupt.h"
#include "system/real.h"

namespace hone::system {
namespace {

// A signal may be taken by another thread, which leaves this one asleep. A tenth of a second is
// what a user who pressed Ctrl-C still takes for "at once".
constexpr Duration kSlice = std::chrono::milliseconds(100);

class RealClock : public Clock {
 public:
  Instant now() const override { return std::chrono::steady_clock::now(); }

  void sleep_until(Instant due) override {
    while (!interrupted()) {
      const Instant start = now();
      if (start >= due) return;
      const auto until = std::min(due, start + kSlice).time_since_epoch();
      const auto whole = std::chrono::duration_cast<std::chrono::seconds>(until);
      timespec at{};
      at.tv_sec = whole.count();
      at.tv_nsec = static_cast<long>((until - whole).count());
      // An absolute time: a signal in between loses nothing, the loop asks again.
      ::clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, nullptr);
    }
  }

  std::string wall_time() const override {
    const std::time_t seconds_now = std::time(nullptr);
    std::tm utc{};
    ::gmtime_r(&seconds_now, &utc);
    char text[32];
    const std::size_t size = std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
    return {text, size};
  }
};

}  // namespace

std::unique_ptr<Clock> real_clock() { return std::make_unique<RealClock>(); }

}  // namespace hone::system
