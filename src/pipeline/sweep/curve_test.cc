#include "pipeline/sweep/curve.h"

#include <gmock/gmock.h>

#include <cmath>

#include "pipeline/sweep/point_fixture.h"

namespace hone::pipeline {
namespace {

using testing::HasSubstr;

// Three repeats at 1,000, 2,000 ... requests/s; `standings` of each rate's repeats.
ShapeSweep sweep_with(const std::vector<std::vector<Standing>>& standings) {
  ShapeSweep sweep;
  for (std::size_t i = 0; i < standings.size(); ++i) {
    const double rate = 1000 * static_cast<double>(i + 1);
    sweep.rates.push_back(rate);
    int repeat = 0;
    for (const Standing standing : standings[i]) {
      SweepPoint point = sound_point("A", rate, ++repeat);
      point.standing = standing;
      if (standing != Standing::kHeld) point.why = name(standing);
      sweep.points.push_back(point);
    }
  }
  return sweep;
}

Ceiling ceiling_of(const std::vector<std::vector<Standing>>& standings) {
  SweepDesign design;
  design.design.base.name = "A";
  ShapeSweep sweep = sweep_with(standings);
  draw_results(design, &sweep);
  return sweep.curves.at(0).ceiling;
}

constexpr Standing kH = Standing::kHeld, kS = Standing::kSaturated,
                   kG = Standing::kGeneratorLimited, kX = Standing::kSpoiled,
                   kF = Standing::kFailed;
const std::vector<Standing> kAllHeld = {kH, kH, kH}, kAllSaturated = {kS, kS, kS};

TEST(FindCeiling, IsTheHighestRateHeldThreeTimesOutOfThree) {
  const Ceiling ceiling = ceiling_of({kAllHeld, kAllHeld, {kH, kS, kH}, kAllSaturated});
  EXPECT_EQ(ceiling.rate, 2000);
  EXPECT_EQ(ceiling.next_rate, 3000);
  EXPECT_TRUE(ceiling.is_own());
  EXPECT_THAT(ceiling.why, HasSubstr("held in 2 of 3 repeats: saturated"));
}

TEST(FindCeiling, DoesNotJumpOverARateThatWasNotHeld) {
  EXPECT_EQ(ceiling_of({kAllHeld, {kS, kH, kH}, kAllHeld, kAllSaturated}).rate, 1000);
}

TEST(FindCeiling, IsNoneWhereTheLowestRateWasNotHeld) {
  const Ceiling ceiling = ceiling_of({{kS, kS, kS}, kAllHeld});
  EXPECT_EQ(ceiling.rate, 0);
  EXPECT_EQ(ceiling.next_rate, 1000);
  EXPECT_TRUE(ceiling.is_own());
}

TEST(FindCeiling, IsALowerBoundWhereNothingEndedIt) {
  const Ceiling ceiling = ceiling_of({kAllHeld, kAllHeld});
  EXPECT_EQ(ceiling.rate, 2000);
  EXPECT_EQ(ceiling.next_rate, 0);
  EXPECT_FALSE(ceiling.is_own());
}

TEST(FindCeiling, IsNotDefinedByTheGenerator) {
  // One repeat beyond the generator's bound is enough: the saturated ones may be its doing too.
  const Ceiling ceiling = ceiling_of({kAllHeld, {kS, kG, kS}, kAllSaturated});
  EXPECT_EQ(ceiling.rate, 1000);
  EXPECT_EQ(ceiling.ended_by, Standing::kGeneratorLimited);
  EXPECT_FALSE(ceiling.is_own());
}

TEST(FindCeiling, IsALowerBoundWhereTheMachineSpoiledARepeat) {
  const Ceiling ceiling = ceiling_of({kAllHeld, {kH, kX, kH}, kAllSaturated});
  EXPECT_EQ(ceiling.rate, 1000);
  EXPECT_EQ(ceiling.ended_by, Standing::kSpoiled);
  EXPECT_FALSE(ceiling.is_own());
  EXPECT_EQ(ceiling_of({kAllHeld, {}, kAllSaturated}).ended_by, Standing::kSpoiled);
}

TEST(FindCeiling, CountsTheAttemptThatWasNotSpoiled) {
  SweepDesign design;
  design.design.base.name = "A";
  ShapeSweep sweep = sweep_with({kAllHeld, kAllHeld, kAllSaturated});
  SweepPoint spoiled = sound_point("A", 2000, 2);
  spoiled.standing = kX;
  sweep.points.push_back(spoiled);
  draw_results(design, &sweep);
  EXPECT_EQ(sweep.curves[0].ceiling.rate, 2000);
  EXPECT_EQ(sweep.curves[0].points[1].repeats, 3);
  EXPECT_EQ(sweep.curves[0].points[1].spoiled, 1);
}

TEST(FindCeiling, EndsWhereTheArmDoes) {
  const Ceiling ceiling = ceiling_of({kAllHeld, {kH, kF, kH}});
  EXPECT_EQ(ceiling.rate, 1000);
  EXPECT_EQ(ceiling.ended_by, Standing::kFailed);
}

TEST(DrawCurve, TakesMediansAndTheWorstShares) {
  std::vector<SweepPoint> points;
  for (int repeat = 1; repeat <= 3; ++repeat) {
    SweepPoint point = sound_point("A", 1000, repeat);
    point.cpu_s = 0.01 * repeat;
    point.ok_share = 1 - 0.0001 * repeat;
    point.wakes = 500;
    points.push_back(point);
  }
  points.push_back(sound_point("B", 1000, 1));
  const auto curve = draw_curve(points, "A", {1000, 2000});
  ASSERT_EQ(curve.size(), 2u);
  EXPECT_DOUBLE_EQ(curve[0].cpu_us.median, 20);
  EXPECT_DOUBLE_EQ(curve[0].cpu_us.low, 10);
  EXPECT_DOUBLE_EQ(curve[0].cpu_us.high, 30);
  EXPECT_DOUBLE_EQ(curve[0].ok_share, 0.9997);
  EXPECT_DOUBLE_EQ(curve[0].wakes_per_request, 0.5);
  EXPECT_EQ(curve[1].repeats, 0);
  EXPECT_EQ(curve[1].standing, Standing::kSpoiled);
}

TEST(DrawResults, LooksForTheKneeUpToTheFirstSaturatedRate) {
  SweepDesign design;
  design.design.base.name = "A";
  ShapeSweep sweep =
      sweep_with({kAllHeld, kAllHeld, kAllHeld, kAllHeld, kAllHeld, kAllSaturated, kAllSaturated});
  for (SweepPoint& point : sweep.points) {
    const double past = std::max(0.0, point.rate - 4000) / 1000;
    point.latency_us.p99 = 500 * std::pow(10, past);
    // One pass in which it comes earlier.
    if (point.repeat == 2 && point.rate == 4000) point.latency_us.p99 = 4000;
  }
  draw_results(design, &sweep);
  const Knee& knee = sweep.curves[0].knee;
  EXPECT_EQ(knee.rate, 4000);
  EXPECT_EQ(knee.low, 3000);
  EXPECT_EQ(knee.high, 4000);
  EXPECT_EQ(knee.p99_us, 500);
}

}  // namespace
}  // namespace hone::pipeline
