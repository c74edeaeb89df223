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
    trial.status["200"] = 100'000;
    trial.slices.resize(8);
    for (SliceRecord& slice : trial.slices) slice.in_time = 1;
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

TEST(JudgeRound, UnevenWorkersSpoilARoundUnlessTheirNumberAloneMakesThemSo) {
  Round round = quiet_round();
  round.trials[1].workers.connections = {6, 5, 5};  // 16 over three: as even as can be
  judge_round(&round, 8000);
  EXPECT_TRUE(round.valid);
  round.trials[1].workers.connections = {};
  round.trials[1].workers.unknown = "not accepted";
  judge_round(&round, 8000);
  EXPECT_TRUE(round.valid);
  round.trials[1].workers.connections = {18, 14};
  judge_round(&round, 8000);
  EXPECT_FALSE(round.valid);
  EXPECT_THAT(round.why_invalid, HasSubstr("18 + 14"));
}

TEST(JudgeRound, AnArmsErrorsAreItsOwnFaultAndNeverRepeated) {
  Round round = quiet_round();
  round.environment.steal = 0.02;
  round.trials[1].errors = 11;
  round.trials[1].status["503"] = 11;
  judge_round(&round, 8000);
  EXPECT_TRUE(round.valid);
  EXPECT_THAT(round.trials[1].failure, HasSubstr("11 of 100000"));
  EXPECT_THAT(round.trials[1].failure, HasSubstr("status 503: 11"));
}

TEST(JudgeRound, FewErrorsAreForgiven) {
  Round round = quiet_round();
  round.trials[1].errors = 10;
  judge_round(&round, 8000);
  EXPECT_EQ(round.trials[1].failure, "");
}

TEST(JudgeRound, AnArmThatDoesNotHoldTheRateHasFailed) {
  Round round = quiet_round();
  for (SliceRecord& slice : round.trials[1].slices) slice.in_time = 0.994;
  judge_round(&round, 8000);
  EXPECT_TRUE(round.valid);
  EXPECT_THAT(round.trials[1].failure, HasSubstr("99.40 % of 8000"));
  EXPECT_EQ(round.trials[0].failure, "");
}

TEST(JudgeRound, ArmsApartInRateDidOtherWork) {
  Round round = quiet_round();
  for (SliceRecord& slice : round.trials[1].slices) slice.in_time = 0.998;
  judge_round(&round, 8000);
  EXPECT_THAT(round.trials[1].failure, HasSubstr("99.80 %"));
}

TEST(JudgeRound, AnArmApartFromItsOwnCopyIsTheMachinesDoing) {
  for (const std::size_t arm : {0U, 2U}) {
    Round round = quiet_round();
    for (SliceRecord& slice : round.trials[arm].slices) slice.in_time = 0.98;
    judge_round(&round, 8000);
    EXPECT_FALSE(round.valid);
    EXPECT_THAT(round.why_invalid, HasSubstr("98.00 %"));
    EXPECT_EQ(round.trials[arm].failure, "");
  }
}

TEST(JudgeRound, AnArmAndItsCopyPastTheirKneeHaveFailed) {
  Round round = quiet_round();
  for (const std::size_t arm : {0U, 2U}) {
    for (SliceRecord& slice : round.trials[arm].slices) slice.in_time = 0.98;
  }
  judge_round(&round, 8000);
  EXPECT_TRUE(round.valid);
  EXPECT_THAT(round.trials[0].failure, HasSubstr("past its knee"));
}

TEST(JudgeRound, OneStalledSliceIsNotTheArmsRate) {
  Round round = quiet_round();
  round.trials[1].slices[3].in_time = 0.75;
  judge_round(&round, 8000);
  EXPECT_TRUE(round.valid);
  EXPECT_EQ(round.trials[1].failure, "");
}

TEST(JudgeRound, AMachineThatStallsIsBlamedBeforeTheArm) {
  Round round = quiet_round();
  round.environment.steal = 0.02;
  for (SliceRecord& slice : round.trials[1].slices) slice.in_time = 0.9;
  judge_round(&round, 8000);
  EXPECT_FALSE(round.valid);
  EXPECT_EQ(round.trials[1].failure, "");
}

TEST(MovedControl, SeesOtherBodiesAndOtherUpstreamWork) {
  Round round = quiet_round();
  EXPECT_EQ(moved_control({&round}, "B"), "");
  round.trials[1].body_bytes += 100'000ULL * 5;
  EXPECT_THAT(moved_control({&round}, "B"), HasSubstr("body bytes"));
  round = quiet_round();
  round.trials[1].upstream_requests -= 200;
  EXPECT_THAT(moved_control({&round}, "B"), HasSubstr("upstream requests"));
  round = quiet_round();
  round.trials[1].status = {{"200", 99'000}, {"304", 1'000}};
  EXPECT_THAT(moved_control({&round}, "B"),
              HasSubstr("status 200 differs: 100.00 % against 99.00 %"));
}

}  // namespace
}  // namespace hone::pipeline
