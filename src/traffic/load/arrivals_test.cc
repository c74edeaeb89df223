#include "traffic/load/arrivals.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace hone::traffic::load {
namespace {

std::vector<std::int64_t> times(const Arrivals& arrivals, double rate, std::uint64_t seed,
                                int count, bool fit = false) {
  DueTimes due(arrivals, rate, seed);
  if (fit) due.fit(static_cast<std::uint64_t>(count));
  std::vector<std::int64_t> result;
  for (int i = 0; i < count; ++i) result.push_back(due.next_ns());
  return result;
}

const Arrivals kEven{Arrivals::Kind::kEven, 1};
const Arrivals kStrict{Arrivals::Kind::kEvenStrict, 1};
const Arrivals kPoisson{Arrivals::Kind::kPoisson, 1};

TEST(ArrivalsTest, ParseAndPrintRoundTrip) {
  for (const char* text : {"even", "even:strict", "poisson", "burst:16"}) {
    const auto arrivals = parse_arrivals(text);
    ASSERT_TRUE(arrivals) << text;
    EXPECT_EQ(text, to_string(*arrivals));
  }
}

TEST(ArrivalsTest, WrongTextIsAUsageErrorThatNamesTheChoices) {
  for (const char* text : {"", "uniform", "burst", "burst:", "burst:0", "burst:x", "burst:70000",
                           "even:loose", "poisson "}) {
    const auto arrivals = parse_arrivals(text);
    ASSERT_FALSE(arrivals) << text;
    EXPECT_EQ(ErrorKind::kUsage, arrivals.error().kind);
    EXPECT_NE(std::string::npos, arrivals.error().next.find("burst:N"));
  }
}

TEST(DueTimesTest, AllKindsStartNearZeroKeepOrderAndMeanRate) {
  constexpr int kCount = 100'000;
  constexpr double kRate = 8000;
  for (const Arrivals& arrivals :
       {kEven, kStrict, kPoisson, Arrivals{Arrivals::Kind::kBurst, 16}}) {
    const auto due = times(arrivals, kRate, 7, kCount);
    EXPECT_GE(due.front(), 0);
    EXPECT_LT(due.front(), 10 * 1e9 / kRate);
    for (std::size_t i = 1; i < due.size(); ++i)
      ASSERT_GE(due[i], due[i - 1]) << to_string(arrivals);
    // Poisson's own deviation at this count is 0.3 %; four of them.
    const double mean_rate = (kCount - 1) * 1e9 / static_cast<double>(due.back());
    EXPECT_NEAR(mean_rate, kRate, 0.013 * kRate) << to_string(arrivals);
  }
}

TEST(DueTimesTest, TheSeedDecides) {
  EXPECT_EQ(times(kPoisson, 1000, 1, 1000), times(kPoisson, 1000, 1, 1000));
  EXPECT_NE(times(kPoisson, 1000, 1, 1000), times(kPoisson, 1000, 2, 1000));
  EXPECT_EQ(times(kEven, 1000, 1, 1000), times(kEven, 1000, 1, 1000));
  EXPECT_NE(times(kEven, 1000, 1, 1000), times(kEven, 1000, 2, 1000));
}

TEST(DueTimesTest, EvenJittersByAQuarterGapEitherWay) {
  const auto due = times(kEven, 1000, 3, 20'000);
  double least = 0;
  double most = 0;
  for (std::size_t i = 1; i < due.size(); ++i) {
    const double off = static_cast<double>(due[i]) / 1e6 - static_cast<double>(i);
    least = std::min(least, off);
    most = std::max(most, off);
  }
  EXPECT_GE(least, -0.2501);
  EXPECT_LE(most, 0.2501);
  EXPECT_LT(least, -0.24);
  EXPECT_GT(most, 0.24);
}

TEST(DueTimesTest, StrictIsExactAndDoesNotDrift) {
  DueTimes due(kStrict, 3, 1);  // a gap that no double holds
  std::int64_t last = 0;
  for (int i = 0; i < 3'000'001; ++i) last = due.next_ns();
  EXPECT_NEAR(static_cast<double>(last), 1e15, 1);
}

TEST(DueTimesTest, BurstsShareOneTime) {
  const auto due = times({Arrivals::Kind::kBurst, 4}, 1000, 1, 12);
  for (std::size_t i = 0; i < due.size(); ++i) {
    EXPECT_EQ(static_cast<std::int64_t>(i / 4) * 4'000'000, due[i]);
  }
}

TEST(DueTimesTest, PoissonGapsAreExponential) {
  const auto due = times(kPoisson, 1000, 11, 50'000);
  int above_mean = 0;
  double squares = 0;
  for (std::size_t i = 1; i < due.size(); ++i) {
    const double gap = static_cast<double>(due[i] - due[i - 1]) / 1e6;
    above_mean += gap > 1;
    squares += gap * gap;
  }
  const double n = static_cast<double>(due.size() - 1);
  EXPECT_NEAR(above_mean / n, std::exp(-1), 0.01);
  EXPECT_NEAR(squares / n, 2, 0.1);  // variance + mean squared
}

TEST(DueTimesTest, FittedPoissonFillsItsTimeWithEveryCount) {
  for (const int count : {1, 7, 4000}) {
    for (std::uint64_t seed = 1; seed < 50; ++seed) {
      const auto due = times(kPoisson, 8000, seed, count, /*fit=*/true);
      EXPECT_GT(due.front(), 0);
      EXPECT_LT(static_cast<double>(due.back()), count * 1e9 / 8000);
    }
  }
}

}  // namespace
}  // namespace hone::traffic::load
