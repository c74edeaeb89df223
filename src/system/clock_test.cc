#include "system/clock.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "system/fake_clock.h"
#include "system/real.h"

namespace hone::system {
namespace {

TEST(Clock, SecondsGoThereAndBack) {
  EXPECT_EQ(seconds(1.5), Duration(1'500'000'000));
  EXPECT_DOUBLE_EQ(to_seconds(Duration(250'000)), 250e-6);
}

TEST(RealClock, SleepsToTheDueTimeAndNotBefore) {
  const auto clock = real_clock();
  const Instant due = clock->now() + std::chrono::milliseconds(3);
  clock->sleep_until(due);
  EXPECT_GE(clock->now(), due);
  const Instant before = clock->now();
  clock->sleep_until(before - std::chrono::hours(1));  // long past: no sleep
  EXPECT_LT(clock->now() - before, std::chrono::seconds(1));
}

TEST(RealClock, WallTimeIsUtc) {
  EXPECT_THAT(real_clock()->wall_time(),
              testing::MatchesRegex("20[0-9][0-9]-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-6]"
                                    "[0-9]Z"));
}

TEST(FakeClock, SleepingMovesIt) {
  FakeClock clock;
  const Instant start = clock.now();
  clock.sleep(seconds(60));
  EXPECT_EQ(clock.now() - start, std::chrono::minutes(1));
  clock.sleep_until(start);  // never back
  EXPECT_EQ(clock.now() - start, std::chrono::minutes(1));
  EXPECT_EQ(clock.sleeps(), 2);
}

}  // namespace
}  // namespace hone::system
