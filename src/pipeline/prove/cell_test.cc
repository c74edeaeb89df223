#include "pipeline/prove/cell.h"

#include <gmock/gmock.h>

#include "base/random.h"

namespace hone::pipeline {
namespace {

// Two candidates, of which one round's cost scatters by these deviations.
Cell cell_of(double sd_b, double sd_c, int rounds) {
  Design design;
  design.base.name = "A";
  design.candidates.resize(2);
  design.candidates[0].name = "B";
  design.candidates[1].name = "C";
  Cell cell;
  cell.block = deal(design).front();
  Random random(3);
  for (int number = 1; number <= rounds; ++number) {
    Round round;
    round.number = number;
    const double sd[] = {0, sd_b, sd_c, 0};
    for (std::size_t arm = 0; arm < cell.block.arms.size(); ++arm) {
      round.trials.emplace_back();
      round.trials.back().arm = cell.block.arms[arm].name;
      round.trials.back().ok = 1000;
      round.trials.back().cpu_total_s = 0.02 * (1 + sd[arm] * random.normal());
    }
    cell.add(std::move(round));
  }
  return cell;
}

TEST(WantedRounds, AreThoseOfTheCandidateThatScattersMost) {
  Design design;
  design.settings.rounds = 8;
  EXPECT_EQ(wanted_rounds(design, cell_of(0.01, 0.05, 8)), 8) << "no precision is asked for";
  design.settings.precision = 0.005;
  const int quiet = wanted_rounds(design, cell_of(0.001, 0.001, 8));
  const int one = wanted_rounds(design, cell_of(0.001, 0.03, 8));
  EXPECT_EQ(quiet, 8);
  EXPECT_GT(one, 3 * quiet);
  EXPECT_EQ(wanted_rounds(design, cell_of(0.001, 0.03, 7)), 8) << "the first stage is not over";
}

TEST(Cell, ItsRestIsTheBlockWithoutWhatFailed) {
  Cell cell = cell_of(0, 0, 2);
  EXPECT_FALSE(cell.failed);
  Round bad = cell.rounds.front();
  bad.number = 3;
  bad.trials[1].failure = "it died";
  cell.add(bad);
  EXPECT_TRUE(cell.failed);
  EXPECT_EQ(name(cell.rest()), "C");
  bad.trials[3].failure = "so did the base's copy";
  cell.add(bad);
  EXPECT_TRUE(cell.rest().arms.empty());
}

}  // namespace
}  // namespace hone::pipeline
