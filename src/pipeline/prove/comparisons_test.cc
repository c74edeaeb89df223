#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/random.h"
#include "pipeline/prove/prove.h"

namespace hone::pipeline {
namespace {

using measure::Verdict;
using testing::HasSubstr;

struct Costs {
  double a = 20e-6, b = 18e-6, noise = 0.01;
};

Trial trial_of(const std::string& arm, double cost_s) {
  Trial trial;
  trial.arm = arm;
  trial.ok = trial.scheduled = 10'000;
  trial.cpu_total_s = cost_s * 10'000;
  trial.wakes = 5'000;
  trial.body_bytes = 10'000ULL * 4096;
  trial.upstream_requests = 10'000;
  trial.latency_us.p99 = 300;
  trial.slices.resize(8);
  return trial;
}

Proof proof_with(int rounds, const Costs& costs, std::vector<std::string> shapes = {"h1"}) {
  Proof proof;
  proof.design.base.name = "A";
  proof.design.candidates.resize(1);
  proof.design.candidates[0].name = "B";
  proof.design.loads = {{"busy", 0, 0.6, "poisson"}};
  Random random(5);
  for (const auto& name : shapes) {
    subject::Shape shape;
    shape.name = name;
    proof.design.shapes.push_back(shape);
    for (int i = 1; i <= rounds; ++i) {
      const auto noisy = [&](double cost) { return cost * (1 + costs.noise * random.normal()); };
      Round round;
      round.shape = name;
      round.load = "busy";
      round.number = i;
      round.trials = {trial_of("A", noisy(costs.a)), trial_of("B", noisy(costs.b)),
                      trial_of("A'", noisy(costs.a))};
      proof.rounds.push_back(round);
    }
  }
  return proof;
}

TEST(DrawComparisons, FindsASavingWithItsMicroseconds) {
  Proof proof = proof_with(8, {});
  draw_comparisons(&proof);
  ASSERT_EQ(proof.comparisons.size(), 2U);
  const Comparison& c = proof.comparisons[0];
  EXPECT_EQ(c.role, "proof");
  EXPECT_EQ(c.verdict, Verdict::kSaved);
  EXPECT_NEAR(c.estimate.effect, -0.10, 0.02);
  EXPECT_NEAR(c.us_saved, 2.0, 0.4);
  EXPECT_LT(c.us_saved_low, c.us_saved);
  EXPECT_NEAR(c.wakes_a, 0.5, 1e-9);
  EXPECT_EQ(c.rounds, 8);
  EXPECT_EQ(c.round_effects.size(), 8U);
  EXPECT_EQ(proof.comparisons[1].role, "aa");
  EXPECT_EQ(proof.totals.at(0).verdict, Verdict::kSaved);
}

TEST(DrawComparisons, RoundsOfOtherKindsCheckAndDoNotCount) {
  Proof proof = proof_with(8, {});
  Proof others = proof_with(3, {20e-6, 30e-6, 0.01});
  others.rounds[0].kind = others.rounds[1].kind = RoundKind::kInTurn;
  others.rounds[2].kind = RoundKind::kWithoutSpinner;
  proof.rounds.insert(proof.rounds.end(), others.rounds.begin(), others.rounds.end());
  draw_comparisons(&proof);
  const Comparison& c = proof.comparisons[0];
  EXPECT_EQ(c.rounds, 8);
  EXPECT_NEAR(c.estimate.effect, -0.10, 0.02);
  ASSERT_EQ(c.checks.size(), 2U);
  EXPECT_EQ(c.checks[0].kind, RoundKind::kInTurn);
  EXPECT_EQ(c.checks[0].rounds, 2);
  EXPECT_NEAR(c.checks[0].estimate.effect, 0.5, 0.03);
  EXPECT_GT(c.checks[0].pair_sd, 0);
  EXPECT_EQ(c.checks[1].rounds, 1);
  EXPECT_NEAR(c.checks[1].estimate.effect, 0.5, 0.05);
  EXPECT_FALSE(c.checks[1].rounds_for_1pct);
  EXPECT_TRUE(c.rounds_for_1pct);
}

TEST(DrawComparisons, WhereArmsCannotLiveSideBySideRoundsInTurnCount) {
  Proof proof = proof_with(8, {});
  proof.design.settings.side_by_side = false;
  for (Round& round : proof.rounds) round.kind = RoundKind::kInTurn;
  draw_comparisons(&proof);
  EXPECT_EQ(proof.comparisons[0].rounds, 8);
  EXPECT_TRUE(proof.comparisons[0].checks.empty());
}

TEST(DrawComparisons, AFailureInACheckIsTheVerdictToo) {
  Proof proof = proof_with(8, {});
  proof.rounds.push_back(proof.rounds.front());
  proof.rounds.back().kind = RoundKind::kInTurn;
  proof.rounds.back().trials[1].failure = "it died";
  draw_comparisons(&proof);
  EXPECT_EQ(proof.comparisons[0].verdict, Verdict::kFailed);
  EXPECT_THAT(proof.comparisons[0].why, HasSubstr("round 1 in turn: it died"));
}

TEST(DrawComparisons, TheWholeCpuIsASecondViewWhereASpinnerTurned) {
  Proof proof = proof_with(8, {});
  draw_comparisons(&proof);
  EXPECT_FALSE(proof.comparisons[0].whole_cpu);
  for (Round& round : proof.rounds) {
    for (Trial& trial : round.trials) trial.whole_cpu_s = trial.cpu_total_s + 0.05;
  }
  draw_comparisons(&proof);
  ASSERT_TRUE(proof.comparisons[0].whole_cpu);
  const CpuView& whole = *proof.comparisons[0].whole_cpu;
  EXPECT_NEAR(whole.us_a, 25, 0.5);  // 20 us and 5 in soft interrupts
  EXPECT_NEAR(whole.estimate.effect, -2.0 / 25, 0.02);
}

TEST(DrawComparisons, TheWholeCpuIsTheHeadlineOfLoadFromAnotherHost) {
  Proof proof = proof_with(8, {});
  proof.design.settings.hosts.load.via = {"ssh", "load1"};
  for (Round& round : proof.rounds) {
    for (Trial& trial : round.trials) trial.whole_cpu_s = trial.cpu_total_s + 0.05;
  }
  Proof checks = proof_with(2, {});
  checks.rounds[0].kind = RoundKind::kInTurn;
  checks.rounds[1].kind = RoundKind::kWithoutSpinner;
  for (Trial& trial : checks.rounds[0].trials) trial.whole_cpu_s = trial.cpu_total_s + 0.05;
  proof.rounds.insert(proof.rounds.end(), checks.rounds.begin(), checks.rounds.end());
  draw_comparisons(&proof);
  for (const Comparison& c : proof.comparisons) EXPECT_EQ(c.metric, kWholeMetric) << c.role;
  const Comparison& c = proof.comparisons[0];
  EXPECT_NEAR(c.us_a, 25, 0.5);
  EXPECT_NEAR(c.estimate.effect, -2.0 / 25, 0.02);
  EXPECT_NEAR(proof.totals.at(0).estimate.effect, c.estimate.effect, 1e-9);
  EXPECT_FALSE(c.whole_cpu);
  ASSERT_TRUE(c.charged_cpu);
  EXPECT_NEAR(c.charged_cpu->us_a, 20, 0.5);
  EXPECT_NEAR(c.charged_cpu->estimate.effect, -0.10, 0.02);
  ASSERT_EQ(c.checks.size(), 2U);
  EXPECT_NEAR(c.checks[0].estimate.effect, -0.08, 0.04);  // whole
  EXPECT_NEAR(c.checks[1].estimate.effect, -0.10, 0.04);  // charged: it has no other

  proof.rounds[3].trials[1].whole_cpu_s = 0;  // a round without the spinner
  draw_comparisons(&proof);
  EXPECT_EQ(proof.comparisons[0].metric, kChargedMetric);
  EXPECT_NEAR(proof.comparisons[0].us_a, 20, 0.5);
  EXPECT_FALSE(proof.comparisons[0].whole_cpu);
}

TEST(DrawComparisons, APrecisionKeepsTheScatterOfTheFirstStage) {
  Proof proof = proof_with(40, {});
  proof.design.settings.rounds = 8;
  draw_comparisons(&proof);
  const double by_all = proof.comparisons[0].pair_sd;
  proof.design.settings.precision = 0.005;
  draw_comparisons(&proof);
  EXPECT_EQ(proof.comparisons[0].rounds, 40);
  EXPECT_NE(proof.comparisons[0].pair_sd, by_all);
}

TEST(DrawComparisons, SpoiledRoundsAreCountedAndNotUsed) {
  Proof proof = proof_with(8, {});
  Round spoiled = proof.rounds.front();
  spoiled.valid = false;
  spoiled.trials[1].cpu_total_s *= 3;
  proof.rounds.push_back(spoiled);
  draw_comparisons(&proof);
  EXPECT_EQ(proof.comparisons[0].rounds, 8);
  EXPECT_EQ(proof.comparisons[0].repeated, 1);
  EXPECT_EQ(proof.comparisons[0].verdict, Verdict::kSaved);
}

TEST(DrawComparisons, AnArmsFailureIsTheVerdict) {
  Proof proof = proof_with(8, {});
  proof.rounds[3].trials[1].failure = "it restarted";
  draw_comparisons(&proof);
  EXPECT_EQ(proof.comparisons[0].verdict, Verdict::kFailed);
  EXPECT_THAT(proof.comparisons[0].why, HasSubstr("it restarted"));
  EXPECT_EQ(proof.totals.at(0).verdict, Verdict::kFailed);
}

TEST(DrawComparisons, AMovedControlWithholds) {
  Proof proof = proof_with(8, {});
  for (Round& round : proof.rounds) round.trials[1].body_bytes /= 2;
  draw_comparisons(&proof);
  EXPECT_EQ(proof.comparisons[0].verdict, Verdict::kWithheld);
  EXPECT_THAT(proof.comparisons[0].why, HasSubstr("body bytes"));
}

TEST(DrawComparisons, TooFewRoundsSayNothing) {
  Proof proof = proof_with(5, {20e-6, 10e-6, 0.001});
  draw_comparisons(&proof);
  EXPECT_EQ(proof.comparisons[0].verdict, Verdict::kUnresolved);
  EXPECT_THAT(proof.comparisons[0].why, HasSubstr("at least 6"));
}

TEST(DrawComparisons, IsTheSameFromTheSameRounds) {
  Proof proof = proof_with(8, {}, {"h1", "h2"});
  draw_comparisons(&proof);
  const Json once = proof.comparisons;
  draw_comparisons(&proof);
  EXPECT_EQ(Json(proof.comparisons), once);
}

// Loads of one rate at which a request takes 1, 1/4, 1/16 and 1/64 wakes; B works 2 us less.
Proof proof_of_bursts(double us_per_wake_of_b) {
  Proof proof = proof_with(0, {});
  proof.design.loads.clear();
  Random random(9);
  double wakes = 1;
  for (const char* load : {"burst:1", "burst:4", "burst:16", "burst:64"}) {
    proof.design.loads.push_back({load, 8000, 0, load});
    proof.loads.push_back({load, "h1", load, 8000, "fixed", 0, 0});
    for (int i = 1; i <= 8; ++i) {
      const auto cost = [&](double us) { return us * 1e-6 * (1 + 0.01 * random.normal()); };
      Round round;
      round.shape = "h1";
      round.load = load;
      round.number = i;
      round.trials = {trial_of("A", cost(12 + 8 * wakes)),
                      trial_of("B", cost(10 + us_per_wake_of_b * wakes)),
                      trial_of("A'", cost(12 + 8 * wakes))};
      for (Trial& trial : round.trials) {
        trial.wakes = static_cast<std::uint64_t>(static_cast<double>(trial.ok) * wakes);
      }
      proof.rounds.push_back(round);
    }
    wakes /= 4;
  }
  return proof;
}

TEST(WorkAndWakes, WhatIsLeftWithoutWakesIsTheWork) {
  Proof proof = proof_of_bursts(8);
  draw_comparisons(&proof);
  ASSERT_EQ(proof.work_and_wakes.size(), 1U);
  const WorkAndWakes& found = proof.work_and_wakes[0];
  EXPECT_EQ(found.loads.size(), 4U);
  EXPECT_EQ(found.arms[0].arm, "A");
  EXPECT_TRUE(found.arms[0].holds && found.arms[1].holds);
  EXPECT_NEAR(found.arms[0].work_us, 12, 0.15);
  EXPECT_NEAR(found.arms[1].work_us, 10, 0.15);
  EXPECT_NEAR(found.arms[1].us_per_wake, 8, 0.4);
  EXPECT_GT(found.same_saving_p, 0.01);
}

TEST(WorkAndWakes, ASavingThatDependsOnWakesIsNotTheSame) {
  Proof proof = proof_of_bursts(4);
  draw_comparisons(&proof);
  EXPECT_LT(proof.work_and_wakes.at(0).same_saving_p, 1e-6);
}

TEST(WorkAndWakes, FewerPatternsSayNothing) {
  Proof proof = proof_of_bursts(8);
  proof.loads.pop_back();
  draw_comparisons(&proof);
  EXPECT_TRUE(proof.work_and_wakes.empty());
}

}  // namespace
}  // namespace hone::pipeline
