#include "pipeline/sweep/ratio.h"

#include <gmock/gmock.h>

#include <cmath>

#include "base/random.h"
#include "pipeline/sweep/point_fixture.h"

namespace hone::pipeline {
namespace {

SweepPoint at(const std::string& arm, double rate, int repeat, double busy) {
  SweepPoint point = sound_point(arm, rate, repeat);
  point.server_busy = busy;
  return point;
}

std::vector<const SweepPoint*> pointers(const std::vector<SweepPoint>& points) {
  std::vector<const SweepPoint*> all;
  for (const SweepPoint& point : points) all.push_back(&point);
  return all;
}

TEST(RateAt, IsLinearBetweenNeighboursInAnyOrder) {
  const std::vector<SweepPoint> points = {at("A", 3000, 1, 0.5), at("A", 1000, 1, 0.2),
                                          at("A", 2000, 1, 0.4)};
  EXPECT_DOUBLE_EQ(*rate_at(pointers(points), 0.3), 1500);
  EXPECT_DOUBLE_EQ(*rate_at(pointers(points), 0.5), 3000);
  EXPECT_FALSE(rate_at(pointers(points), 0.1)) << "nothing is extrapolated";
  EXPECT_FALSE(rate_at(pointers(points), 0.6));
}

TEST(RateAt, LeavesOutWhatWasNotCarried) {
  std::vector<SweepPoint> points = {at("A", 1000, 1, 0.4), at("A", 2000, 1, 0.9),
                                    at("A", 3000, 1, 1.0)};
  points[1].in_time = 0.9;
  points[1].standing = Standing::kSaturated;
  EXPECT_DOUBLE_EQ(*rate_at(pointers(points), 0.7), 2000);
  points[2].standing = Standing::kGeneratorLimited;
  EXPECT_FALSE(rate_at(pointers(points), 0.7));
}

// 40 us and 32 us a request on one CPU: B carries a quarter more at any utilisation.
std::vector<SweepPoint> sweep_of(double scatter, std::uint64_t seed) {
  Random random(seed);
  std::vector<SweepPoint> points;
  for (int repeat = 1; repeat <= 3; ++repeat) {
    for (const double rate : {2500.0, 7500.0, 12'500.0, 17'500.0, 22'500.0}) {
      points.push_back(at("A", rate, repeat, rate * 40e-6 * (1 + scatter * random.normal())));
      points.push_back(at("B", rate, repeat, rate * 32e-6 * (1 + scatter * random.normal())));
    }
  }
  return points;
}

TEST(RateRatios, FindTheRatioThatIsThere) {
  const auto ratios = rate_ratios(sweep_of(0, 1), "A", "B");
  ASSERT_EQ(ratios.size(), 7u) << "from 10 to 70 %: both arms reach no further";
  for (const RateRatio& ratio : ratios) {
    EXPECT_NEAR(ratio.ratio.effect, 0.25, 1e-9);
    EXPECT_NEAR(ratio.rate_a, ratio.busy / 40e-6, 1e-6);
    EXPECT_EQ(ratio.repeats, 3);
  }
  EXPECT_DOUBLE_EQ(quoted_ratio(ratios)->busy, 0.6);
}

// The interval is a 95 % one: over 400 sweeps, 380 expected, and four standard errors below.
TEST(RateRatios, IntervalsHoldTheTruthAsOftenAsTheySay) {
  int held = 0;
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    const auto ratios = rate_ratios(sweep_of(0.02, seed), "A", "B");
    const RateRatio* ratio = quoted_ratio(ratios);
    ASSERT_NE(ratio, nullptr);
    held += ratio->ratio.low <= 0.25 && ratio->ratio.high >= 0.25 ? 1 : 0;
  }
  EXPECT_GE(held, 363);
  EXPECT_LT(held, 400) << "and no more often: such an interval would say nothing";
}

TEST(RateRatios, PairThePassesThatBothArmsHave) {
  std::vector<SweepPoint> points = sweep_of(0, 1);
  std::erase_if(points, [](const SweepPoint& p) { return p.arm == "B" && p.repeat == 2; });
  EXPECT_EQ(rate_ratios(points, "A", "B").front().repeats, 2);
  std::erase_if(points, [](const SweepPoint& p) { return p.arm == "B"; });
  EXPECT_TRUE(rate_ratios(points, "A", "B").empty());
  EXPECT_EQ(quoted_ratio({}), nullptr);
}

}  // namespace
}  // namespace hone::pipeline
