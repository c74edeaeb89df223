#include "pipeline/plan/round_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace hone::pipeline {
namespace {

// "s1 s2 t1 ...": slices, in turn, without spinner (w).
std::string text_of(const Prove& settings, int counted) {
  std::string text;
  for (const PlannedRound& one : plan_rounds(settings, counted)) {
    const char* letter = one.kind == RoundKind::kSlices   ? "s"
                         : one.kind == RoundKind::kInTurn ? "t"
                                                          : "w";
    text += (text.empty() ? "" : " ") + (letter + std::to_string(one.number));
  }
  return text;
}

TEST(PlanRounds, SpreadsChecksBetweenTheCountedRounds) {
  EXPECT_EQ(text_of({}, 8), "s1 s2 s3 t1 s4 w1 s5 s6 t2 s7 s8");
}

TEST(PlanRounds, FewRoundsHoldAllChecksToo) { EXPECT_EQ(text_of({}, 2), "s1 t1 w1 s2 t2"); }

TEST(PlanRounds, AsManyChecksAsAreAskedFor) {
  Prove settings;
  settings.rounds_in_turn = 4;
  settings.rounds_without_spinner = 0;
  EXPECT_EQ(text_of(settings, 4), "s1 t1 s2 t2 s3 t3 s4 t4");
  settings.rounds_in_turn = 0;
  EXPECT_EQ(text_of(settings, 3), "s1 s2 s3");
}

TEST(PlanRounds, NoKindChecksItself) {
  Prove settings;
  settings.spinner = false;
  settings.rounds_in_turn = 0;
  EXPECT_EQ(text_of(settings, 2), "s1 s2");
  settings = {};
  settings.side_by_side = false;
  EXPECT_EQ(text_of(settings, 3), "t1 t2 t3");
}

// "0 1 | 2": two blocks.
std::string deal_text(std::size_t candidates) {
  std::string text;
  for (const CandidateDeal& block : deal_candidates(candidates)) {
    text += text.empty() ? "" : " | ";
    for (std::size_t i = 0; i < block.count; ++i)
      text += (i > 0 ? " " : "") + std::to_string(block.first + i);
  }
  return text;
}

TEST(DealCandidates, TwoToABlockAndTheLastHasWhatIsLeft) {
  EXPECT_EQ(deal_text(0), "");
  EXPECT_EQ(deal_text(1), "0");
  EXPECT_EQ(deal_text(2), "0 1");
  EXPECT_EQ(deal_text(5), "0 1 | 2 3 | 4");
}

}  // namespace
}  // namespace hone::pipeline
