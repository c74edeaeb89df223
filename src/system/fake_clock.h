// A clock for tests: it stands still until it is set, and sleeping moves it on at once.
#pragma once

#include <algorithm>
#include <string>

#include "system/clock.h"

namespace hone::system {

class FakeClock : public Clock {
 public:
  explicit FakeClock(Instant start = Instant(std::chrono::hours(1))) : now_(start) {}

  Instant now() const override { return now_; }
  void sleep_until(Instant due) override {
    now_ = std::max(now_, due);
    ++sleeps_;
  }
  std::string wall_time() const override { return wall_time_; }

  void set(Instant now) { now_ = now; }
  void advance(Duration by) { now_ += by; }
  void set_wall_time(std::string text) { wall_time_ = std::move(text); }
  int sleeps() const { return sleeps_; }  // how often somebody slept

 private:
  Instant now_;
  int sleeps_ = 0;
  std::string wall_time_ = "2026-01-01T00:00:00Z";
};

}  // namespace hone::system
