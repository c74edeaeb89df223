#include "pipeline/prove/block.h"

#include <gmock/gmock.h>

namespace hone::pipeline {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Design design_with(std::size_t candidates) {
  Design design;
  design.base.name = "A";
  design.base.sha256 = "the base's";
  for (std::size_t i = 0; i < candidates; ++i) {
    design.candidates.emplace_back();
    design.candidates.back().name = candidate_name(i);
  }
  return design;
}

std::vector<std::string> arm_names(const Block& block) {
  std::vector<std::string> names;
  for (const Arm& arm : block.arms) names.push_back(arm.name);
  return names;
}

TEST(Deal, OneCandidateStandsBetweenTheBaseAndItsCopy) {
  const auto blocks = deal(design_with(1));
  ASSERT_EQ(blocks.size(), 1U);
  EXPECT_THAT(arm_names(blocks[0]), ElementsAre("A", "B", "A'"));
  EXPECT_EQ(blocks[0].arms[2].sha256, "the base's");
}

TEST(Deal, EveryBlockHasTheBaseAndItsCopyAndTwoCandidatesAtMost) {
  const auto blocks = deal(design_with(3));
  ASSERT_EQ(blocks.size(), 2U);
  EXPECT_THAT(arm_names(blocks[0]), ElementsAre("A", "B", "C", "A'"));
  EXPECT_THAT(arm_names(blocks[1]), ElementsAre("A", "D", "A'"));
  EXPECT_EQ(name(blocks[0]), "B+C");
  EXPECT_EQ(name(blocks[1]), "D");
}

// Rounds are kept by what is in their block: a full one must not change when the list grows.
TEST(Deal, AnotherCandidateLeavesFullBlocksAlone) {
  const auto before = deal(design_with(3));
  const auto after = deal(design_with(4));
  EXPECT_EQ(Json(before[0].arms), Json(after[0].arms));
  EXPECT_THAT(arm_names(after[1]), ElementsAre("A", "D", "E", "A'"));
}

TEST(Without, LeavesWhatCanStillBeCompared) {
  const Block block = deal(design_with(2)).front();
  EXPECT_THAT(arm_names(without(block, {"B"})), ElementsAre("A", "C", "A'"));
  EXPECT_THAT(arm_names(without(block, {"B", "C"})), IsEmpty());
  EXPECT_THAT(arm_names(without(block, {"A"})), IsEmpty());
  EXPECT_THAT(arm_names(without(block, {"A'"})), IsEmpty());
  EXPECT_THAT(arm_names(without(deal(design_with(1)).front(), {"B"})), IsEmpty());
}

Round block_round(const std::vector<std::string>& arms, int number,
                  const std::string& shape = "h1") {
  Round round;
  round.shape = shape;
  round.load = "busy";
  round.number = number;
  for (const std::string& arm : arms) {
    round.trials.emplace_back();
    round.trials.back().arm = arm;
  }
  return round;
}

TEST(RoundsOf, AreThoseOfItsBlockOnTheShape) {
  const std::vector<Round> rounds = {
      block_round({"A", "B", "C", "A'"}, 1), block_round({"A", "D", "A'"}, 1),
      block_round({"A", "B", "C", "A'"}, 1, "h2"), block_round({"A", "B", "C", "A'"}, 2)};
  EXPECT_THAT(rounds_of(rounds, "C", "h1", "busy"), ElementsAre(&rounds[0], &rounds[3]));
  EXPECT_THAT(rounds_of(rounds, "D", "h1", "busy"), ElementsAre(&rounds[1]));
  EXPECT_THAT(rounds_of(rounds, "D", "h1", "fixed"), IsEmpty());
  EXPECT_EQ(block_of(rounds[0]), "B+C");
}

TEST(RoundsOf, AreThoseThatACandidateHasToItselfWhereTheOtherFailed) {
  const std::vector<Round> rounds = {block_round({"A", "B", "C", "A'"}, 1),
                                     block_round({"A", "C", "A'"}, 1),
                                     block_round({"A", "C", "A'"}, 2)};
  EXPECT_THAT(rounds_of(rounds, "C", "h1", "busy"), ElementsAre(&rounds[1], &rounds[2]));
  EXPECT_THAT(rounds_of(rounds, "B", "h1", "busy"), ElementsAre(&rounds[0]));
}

}  // namespace
}  // namespace hone::pipeline
