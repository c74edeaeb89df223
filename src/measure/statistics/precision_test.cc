#include "measure/statistics/precision.h"

#include <gtest/gtest.h>

#include <cmath>

namespace hone::measure {
namespace {

// `n` rounds whose log effects have the mean given and the deviation `sd` (n even).
std::vector<RoundCost> scattered(int n, double mean, double sd) {
  const double step = sd * std::sqrt((n - 1.0) / n);
  std::vector<RoundCost> rounds;
  for (int i = 0; i < n; ++i) {
    const double control = i % 4 < 2 ? 0.01 : -0.01;
    rounds.push_back({10 * std::exp(-control / 2), 10 * std::exp(mean + (i % 2 ? step : -step)),
                      10 * std::exp(control / 2)});
  }
  return rounds;
}

// Printed by scipy: np.ceil((stats.t.ppf(.975, 7) * .02 / np.log1p(.01)) ** 2), and with .005.
TEST(RoundsForPrecision, IsSteinsNumber) {
  EXPECT_EQ(rounds_for_precision(scattered(8, -0.1, 0.02), 0.01), 23);
  EXPECT_EQ(rounds_for_precision(scattered(8, -0.1, 0.02), 0.005), 90);
}

TEST(RoundsForPrecision, IsNeverFewerThanTheFirstStage) {
  EXPECT_EQ(rounds_for_precision(scattered(8, -0.1, 0.001), 0.01), 8);
  EXPECT_EQ(rounds_for_precision(scattered(8, -0.1, 0), 0.01), 8);
  EXPECT_EQ(rounds_for_precision({}, 0.01), 0);
}

TEST(Judge, WithAFirstStageKeepsItsDeviation) {
  std::vector<RoundCost> rounds = scattered(8, -0.1, 0.02);
  const auto calm = scattered(16, -0.1, 0);
  rounds.insert(rounds.end(), calm.begin(), calm.end());
  JudgeSettings settings;
  settings.first_stage = 8;
  const Judgement judgement = judge(rounds, settings);
  EXPECT_EQ(judgement.rounds, 24);
  EXPECT_EQ(judgement.degrees, 7);
  EXPECT_NEAR(judgement.pair_sd, 0.02, 1e-9);
  // 2.364624 is the 97.5 % point of t with 7 degrees.
  EXPECT_NEAR(std::log1p(judgement.effect.high) - std::log1p(judgement.effect.effect),
              2.364624 * 0.02 / std::sqrt(24), 1e-6);
  EXPECT_LT(judge(rounds, {}).pair_sd, 0.02);
}

}  // namespace
}  // namespace hone::measure
