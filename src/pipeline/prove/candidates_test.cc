// Several candidates against one base: what is drawn from rounds of blocks with known effects.
#include <gmock/gmock.h>

#include "base/random.h"
#include "pipeline/prove/block.h"
#include "pipeline/prove/prove.h"

namespace hone::pipeline {
namespace {

using measure::Verdict;
using testing::HasSubstr;

constexpr double kBaseS = 20e-6;  // CPU per answer
constexpr double kAnswers = 10'000;

Trial trial_at(const std::string& arm, double cost_s) {
  Trial trial;
  trial.arm = arm;
  trial.ok = trial.scheduled = static_cast<std::uint64_t>(kAnswers);
  trial.cpu_total_s = cost_s * kAnswers;
  trial.slices.resize(8);
  return trial;
}

// `effects`: of each candidate; `noise`: of a trial, relative.
Proof proof_of(const std::vector<double>& effects, double noise = 0.005,
               const std::vector<std::string>& shapes = {"h1"}) {
  Proof proof;
  proof.design.base.name = "A";
  for (std::size_t i = 0; i < effects.size(); ++i) {
    proof.design.candidates.emplace_back();
    proof.design.candidates.back().name = candidate_name(i);
  }
  proof.design.loads = {{"busy", 0, 0.6, "poisson"}};
  Random random(11);
  for (const std::string& name : shapes) {
    proof.design.shapes.emplace_back();
    proof.design.shapes.back().name = name;
    for (int number = 1; number <= 8; ++number) {
      std::size_t candidate = 0;
      for (const Block& block : deal(proof.design)) {
        Round round;
        round.shape = name;
        round.load = "busy";
        round.number = number;
        for (const Arm& arm : block.arms) {
          const bool base = arm.name == "A" || arm.name == "A'";
          const double cost = base ? kBaseS : kBaseS * (1 + effects[candidate++]);
          round.trials.push_back(trial_at(arm.name, cost * (1 + noise * random.normal())));
        }
        proof.rounds.push_back(std::move(round));
      }
    }
  }
  return proof;
}

std::vector<const Comparison*> of_role(const Proof& proof, const std::string& role) {
  std::vector<const Comparison*> found;
  for (const Comparison& one : proof.comparisons)
    if (one.role == role) found.push_back(&one);
  return found;
}

TEST(Candidates, EachIsFoundAgainstTheBaseOfItsOwnBlock) {
  Proof proof = proof_of({0, 0.10, -0.20});
  draw_comparisons(&proof);
  const auto found = of_role(proof, "proof");
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0]->b, "B");
  EXPECT_EQ(found[0]->verdict, Verdict::kSame);
  EXPECT_EQ(found[1]->verdict, Verdict::kWorse);
  EXPECT_NEAR(found[1]->estimate.effect, 0.10, 0.01);
  EXPECT_EQ(found[2]->verdict, Verdict::kSaved);
  EXPECT_NEAR(found[2]->estimate.effect, -0.20, 0.01);
  EXPECT_EQ(found[0]->block, "B+C");
  EXPECT_EQ(found[1]->block, "B+C");
  EXPECT_EQ(found[2]->block, "D");
}

TEST(Candidates, EveryBlockHasOneControlOfItsOwn) {
  Proof proof = proof_of({0, 0.10, -0.20});
  draw_comparisons(&proof);
  const auto controls = of_role(proof, "aa");
  ASSERT_EQ(controls.size(), 2U);
  EXPECT_EQ(controls[0]->block, "B+C");
  EXPECT_EQ(controls[1]->block, "D");
  EXPECT_EQ(controls[0]->b, "A'");
  const auto found = of_role(proof, "proof");
  EXPECT_EQ(controls[0]->estimate.effect, found[0]->aa.effect);
  EXPECT_EQ(controls[0]->estimate.effect, found[1]->aa.effect);
  EXPECT_NE(controls[0]->estimate.effect, found[2]->aa.effect);
}

TEST(Candidates, ABlockWhoseCopyDiffersIsWithheldAndTheOthersAreNot) {
  Proof proof = proof_of({0.1, 0.1, 0.1});
  for (Round& round : proof.rounds) {
    if (block_of(round) == "B+C") round.trials.back().cpu_total_s *= 1.05;
  }
  draw_comparisons(&proof);
  const auto found = of_role(proof, "proof");
  EXPECT_EQ(found[0]->verdict, Verdict::kWithheld);
  EXPECT_EQ(found[1]->verdict, Verdict::kWithheld);
  EXPECT_EQ(found[2]->verdict, Verdict::kWorse);
}

TEST(Candidates, EachHasItsTotal) {
  Proof proof = proof_of({0.10, -0.10}, 0.005, {"h1", "h2"});
  draw_comparisons(&proof);
  ASSERT_EQ(proof.totals.size(), 2U);
  EXPECT_EQ(proof.totals[0].b, "B");
  EXPECT_EQ(proof.totals[0].verdict, Verdict::kWorse);
  EXPECT_EQ(proof.totals[1].b, "C");
  EXPECT_EQ(proof.totals[1].verdict, Verdict::kSaved);
  EXPECT_EQ(proof.totals[1].shapes, 2);
}

// An effect that one candidate alone would be called for is none among twenty: somewhere among so
// many one of that size is seen by chance.
TEST(Candidates, AreOneFamilyOfHolm) {
  const auto weak_and_others = [](std::size_t others) {
    std::vector<double> effects(1 + others, 0);
    Proof proof = proof_of(effects, 0.001);
    // B: 2 % and scatter such that p lies between 0.05/20 and 0.05.
    int i = 0;
    for (Round& round : proof.rounds) {
      if (round.trials[1].arm != "B") continue;
      const double swing = ++i % 2 == 0 ? 0.018 : -0.018;
      round.trials[1].cpu_total_s = kAnswers * kBaseS * (1.02 + swing);
    }
    draw_comparisons(&proof);
    return *of_role(proof, "proof").front();
  };
  const Comparison alone = weak_and_others(0);
  EXPECT_EQ(alone.verdict, Verdict::kWorse);
  const Comparison one_of_twenty = weak_and_others(19);
  EXPECT_EQ(one_of_twenty.verdict, Verdict::kUnresolved);
  EXPECT_THAT(one_of_twenty.why, HasSubstr("Holm's correction for the other candidates"));
  EXPECT_NEAR(one_of_twenty.p_value, alone.p_value, 0.01);
}

TEST(Candidates, AnothersFailureSpoilsNoComparison) {
  Proof proof = proof_of({0.10, 0.10});
  proof.rounds[0].trials[1].failure = "it died";
  // C goes on in a block to itself.
  const Proof alone = proof_of({0.10});
  for (Round round : alone.rounds) {
    round.trials[1].arm = "C";
    proof.rounds.push_back(std::move(round));
  }
  draw_comparisons(&proof);
  const auto found = of_role(proof, "proof");
  EXPECT_EQ(found[0]->verdict, Verdict::kFailed);
  EXPECT_THAT(found[0]->why, HasSubstr("arm B"));
  EXPECT_EQ(found[1]->verdict, Verdict::kWorse);
  EXPECT_EQ(found[1]->rounds, 8);
  EXPECT_EQ(found[1]->block, "C");
  EXPECT_EQ(proof.totals[0].verdict, Verdict::kFailed);
  EXPECT_EQ(proof.totals[1].verdict, Verdict::kWorse);
}

TEST(Candidates, TheBasesFailureSpoilsItsBlock) {
  for (const std::size_t arm : {0U, 3U}) {
    Proof proof = proof_of({0.10, 0.10, 0.10});
    proof.rounds[0].trials[arm].failure = "it died";
    draw_comparisons(&proof);
    const auto found = of_role(proof, "proof");
    EXPECT_EQ(found[0]->verdict, Verdict::kFailed);
    EXPECT_EQ(found[1]->verdict, Verdict::kFailed);
    EXPECT_THAT(found[1]->why, HasSubstr("arm A"));
    EXPECT_EQ(found[2]->verdict, Verdict::kWorse);
  }
}

TEST(Candidates, AMovedControlWithholdsItsOwnOnly) {
  Proof proof = proof_of({0.10, 0.10});
  for (Round& round : proof.rounds) {
    for (Trial& trial : round.trials) trial.body_bytes = trial.arm == "C" ? 100 : 200;
  }
  draw_comparisons(&proof);
  const auto found = of_role(proof, "proof");
  EXPECT_EQ(found[0]->verdict, Verdict::kWorse);
  EXPECT_EQ(found[1]->verdict, Verdict::kWithheld);
}

}  // namespace
}  // namespace hone::pipeline
