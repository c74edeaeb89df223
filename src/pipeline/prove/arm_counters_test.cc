#include "pipeline/prove/arm_counters.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hone::pipeline {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

// One slice of each arm, by clocks and by control group, in seconds.
Round round_with(double beyond_a, double beyond_b) {
  Round round;
  for (const auto& [arm, beyond_s] : {std::pair{"A", beyond_a}, std::pair{"B", beyond_b}}) {
    Trial trial;
    trial.arm = arm;
    trial.ok = 100;
    trial.cpu_total_s = 2;
    measure::SliceCost cost;
    cost.cpu_s = 2;
    cost.cgroup_cpu_s = 2;
    cost.beyond_clocks_s = beyond_s;
    add_beside(cost, &trial);
    round.trials.push_back(std::move(trial));
  }
  return round;
}

TEST(CpuViews, ThatAgreeAreNoFinding) {
  EXPECT_THAT(cpu_view_findings({round_with(0, 0)}), IsEmpty());
}

TEST(CpuViews, ThatDifferNameTheArmAndTheShare) {
  Round spoiled = round_with(1, 1);
  spoiled.valid = false;
  const Findings unseen = cpu_view_findings({round_with(0, 0.2), spoiled});
  ASSERT_THAT(unseen, SizeIs(1));
  EXPECT_THAT(unseen[0].text, HasSubstr("arm B: 10.0 % of its CPU was seen by its control group"));
  const Findings outside = cpu_view_findings({round_with(-0.5, 0)});
  ASSERT_THAT(outside, SizeIs(1));
  EXPECT_THAT(outside[0].text, HasSubstr("arm A: 25.0 % of its CPU was spent outside"));
}

TEST(AddBeside, SumsUpTheControlGroupOrSaysWhyThereIsNone) {
  const Round round = round_with(0, 0);
  ASSERT_THAT(round.trials[0].events, SizeIs(1));
  EXPECT_EQ(round.trials[0].events[0].count, 2e6);
  EXPECT_EQ(round.trials[0].events[0].ok, 100U);
  Trial without;
  measure::SliceCost cost;
  cost.no_cgroup = "not used: no hierarchy";
  add_beside(cost, &without);
  EXPECT_EQ(without.events[0].unavailable, "not used: no hierarchy");
  EXPECT_EQ(without.events[0].ok, 0U);
}

}  // namespace
}  // namespace hone::pipeline
