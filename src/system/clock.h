// Time, through an interface so that schedules and waits are tested without sleeping.
#pragma once

#include <chrono>
#include <string>

namespace hone::system {

using Duration = std::chrono::nanoseconds;
using Instant = std::chrono::time_point<std::chrono::steady_clock, Duration>;

inline Duration seconds(double s) { return Duration(static_cast<Duration::rep>(s * 1e9)); }
inline double to_seconds(Duration d) { return static_cast<double>(d.count()) * 1e-9; }

class Clock {
 public:
  virtual ~Clock() = default;
  virtual Instant now() const = 0;            // CLOCK_MONOTONIC
  virtual void sleep_until(Instant due) = 0;  // returns early when interrupted() becomes true
  virtual std::string wall_time() const = 0;  // "2026-11-30T19:53:58Z", for reports only
  void sleep(Duration d) { sleep_until(now() + d); }
};

}  // namespace hone::system
