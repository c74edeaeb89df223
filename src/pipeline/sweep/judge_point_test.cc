#include "pipeline/sweep/judge_point.h"

#include <gmock/gmock.h>

#include <cmath>

#include "pipeline/sweep/point_fixture.h"

namespace hone::pipeline {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

SweepPoint judged(SweepPoint point) {
  judge_point(&point, {});
  return point;
}

TEST(JudgePoint, HoldsWhatIsWell) {
  const SweepPoint point = judged(sound_point());
  EXPECT_EQ(point.standing, Standing::kHeld);
  EXPECT_THAT(point.why, IsEmpty());
}

TEST(JudgePoint, HoldsAtTheLimitAndNotPastIt) {
  SweepPoint point = sound_point();
  point.ok_share = point.in_time = 0.999;
  point.latency_us.p99 = 10'000;
  EXPECT_EQ(judged(point).standing, Standing::kHeld);
  for (double SweepPoint::* share : {&SweepPoint::ok_share, &SweepPoint::in_time}) {
    SweepPoint below = point;
    below.*share = 0.9989;
    EXPECT_EQ(judged(below).standing, Standing::kSaturated);
  }
  point.latency_us.p99 = 10'001;
  EXPECT_EQ(judged(point).standing, Standing::kSaturated);
  EXPECT_THAT(judged(point).why, HasSubstr("p99 10.0 ms (limit 10 ms)"));
}

TEST(JudgePoint, NamesWhatWasAnsweredInstead) {
  SweepPoint point = sound_point();
  point.ok_share = 0.5;
  point.status = {{"200", 500}, {"503", 500}};
  EXPECT_EQ(judged(point).standing, Standing::kSaturated);
  EXPECT_THAT(judged(point).why, HasSubstr("status 503: 500"));
}

TEST(JudgePoint, DoesNotLayOnTheArmWhatTheGeneratorMayHaveCaused) {
  SweepPoint point = sound_point();
  point.load_busy = 0.81;
  point.in_time = 0.7;             // would be saturated
  point.environment.missed = 0.1;  // would be spoiled
  EXPECT_EQ(judged(point).standing, Standing::kGeneratorLimited);
  EXPECT_THAT(judged(point).why, HasSubstr("81.0 %"));
  point.load_busy = 0.80;
  EXPECT_NE(judged(point).standing, Standing::kGeneratorLimited);
}

TEST(JudgePoint, LaysOnTheMachineWhatIsTheMachines) {
  SweepPoint point = sound_point();
  point.in_time = 0.7;
  point.environment.steal = 0.05;
  EXPECT_EQ(judged(point).standing, Standing::kSpoiled);
  point.environment.steal = 0;
  point.workers.connections = {12, 4};
  EXPECT_EQ(judged(point).standing, Standing::kSpoiled);
  EXPECT_THAT(judged(point).why, HasSubstr("12 + 4"));
  point.workers.connections = {9, 8};
  EXPECT_EQ(judged(point).standing, Standing::kSaturated);
}

TEST(JudgePoint, LeavesAFailureAFailure) {
  SweepPoint point;
  point.standing = Standing::kFailed;
  point.why = "it ended";
  EXPECT_EQ(judged(point).standing, Standing::kFailed);
  EXPECT_EQ(judged(point).why, "it ended");
}

TEST(JudgePoint, TakesAFigureThatIsNoNumberForAFault) {
  SweepPoint point = sound_point();
  point.ok_share = std::nan("");
  EXPECT_EQ(judged(point).standing, Standing::kSaturated);
}

TEST(Carried, IsWhatTheArmServedAtThatRate) {
  SweepPoint point = sound_point();
  EXPECT_TRUE(carried(point));
  point.standing = Standing::kSaturated;  // by p99 alone
  EXPECT_TRUE(carried(point));
  point.in_time = 0.9;
  EXPECT_FALSE(carried(point));
  point = sound_point();
  for (const Standing standing :
       {Standing::kGeneratorLimited, Standing::kSpoiled, Standing::kFailed}) {
    point.standing = standing;
    EXPECT_FALSE(carried(point));
  }
}

}  // namespace
}  // namespace hone::pipeline
