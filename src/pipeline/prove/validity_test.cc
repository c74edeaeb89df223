#include "pipeline/prove/validity.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hone::pipeline {
namespace {

using testing::HasSubstr;

Round quiet_round() {
  Round round;
  for (const char* arm : {"A", "B", "A'"}) {
    Trial trial;
    trial.arm = arm;
    trial.ok = trial.scheduled = 100'000;
    trial.body_bytes = 100'000ULL * 4096;
    trial.upstream_requests = 100'000;
    trial.slices.resize(8);
    round.trials.push_back(trial);
  }
  return round;
}

TEST(JudgeRound, AQuietRoundCounts) {
  Round round = quiet_round();
  judge_round(&round, 8000);
  EXPECT_TRUE(round.valid);
  EXPECT_EQ(round.why_invalid, "");
}

TEST(JudgeRound, StealSpoilsTheWholeRound) {
  Round round = quiet_round();
  round.environment.steal = 0.02;
  judge_round(&round, 8000);
  EXPECT_FALSE(round.valid);
  EXPECT_THAT(round.why_invalid, HasSubstr("2.00 %"));
  EXPECT_FALSE(round.trials[2].valid);
}

TEST(JudgeRound, AnArmsErrorsAreItsOwnFaultAndNeverRepeated) {
  Round round = quiet_round();
  round.environment.steal = 0.02;
  round.trials[1].errors = 11;
  judge_round(&round, 8000);
  EXPECT_TRUE(round.valid);
  EXPECT_THAT(round.trials[1].failure, HasSubstr("11 of 100000"));
}

TEST(JudgeRound, FewErrorsAreForgiven) {
  Round round = quiet_round();
  round.trials[1].errors = 10;
  judge_round(&round, 8000);
  EXPECT_EQ(round.trials[1].failure, "");
}

TEST(MovedControl, SeesOtherBodiesAndOtherUpstreamWork) {
  Round round = quiet_round();
  EXPECT_EQ(moved_control({&round}), "");
  round.trials[1].body_bytes += 100'000ULL * 5;
  EXPECT_THAT(moved_control({&round}), HasSubstr("body bytes"));
  round = quiet_round();
  round.trials[1].upstream_requests -= 200;
  EXPECT_THAT(moved_control({&round}), HasSubstr("upstream requests"));
}

}  // namespace
}  // namespace hone::pipeline
