#include "cli/verdict_code.h"

#include <gtest/gtest.h>

namespace hone::cli {
namespace {

using measure::Verdict;

pipeline::Proof proof_of(std::vector<std::pair<Verdict, bool>> shapes) {
  pipeline::Proof proof;
  for (const auto& [verdict, trained] : shapes) {
    pipeline::Comparison c;
    c.verdict = verdict;
    c.trained = trained;
    proof.comparisons.push_back(c);
    c.role = "aa";
    c.verdict = Verdict::kSame;
    proof.comparisons.push_back(c);
  }
  return proof;
}

TEST(VerdictCode, TheWorstTrainedShapeDecides) {
  EXPECT_EQ(verdict_code(proof_of({{Verdict::kSaved, true}}), ""), 0);
  EXPECT_EQ(verdict_code(proof_of({{Verdict::kSaved, true}, {Verdict::kSame, true}}), ""), 6);
  EXPECT_EQ(verdict_code(proof_of({{Verdict::kSame, true}, {Verdict::kUnresolved, true}}), ""), 3);
  EXPECT_EQ(verdict_code(proof_of({{Verdict::kWorse, true}, {Verdict::kUnresolved, true}}), ""), 4);
  EXPECT_EQ(verdict_code(proof_of({{Verdict::kWorse, true}, {Verdict::kWithheld, true}}), ""), 8);
  EXPECT_EQ(verdict_code(proof_of({{Verdict::kFailed, true}, {Verdict::kWithheld, true}}), ""), 7);
}

TEST(VerdictCode, UntrainedShapesDecideOnlyWhereNoneIsTrained) {
  EXPECT_EQ(verdict_code(proof_of({{Verdict::kSaved, true}, {Verdict::kWorse, false}}), ""), 0);
  EXPECT_EQ(verdict_code(proof_of({{Verdict::kWorse, false}}), ""), 4);
  EXPECT_EQ(verdict_code({}, ""), 3);
}

TEST(VerdictCode, FailOnSetsTheBar) {
  EXPECT_EQ(verdict_code(proof_of({{Verdict::kUnresolved, true}}), "worse"), 0);
  EXPECT_EQ(verdict_code(proof_of({{Verdict::kUnresolved, true}}), "unresolved"), 3);
  EXPECT_EQ(verdict_code(proof_of({{Verdict::kSame, true}}), "unresolved"), 0);
  EXPECT_EQ(verdict_code(proof_of({{Verdict::kWorse, true}}), "worse"), 4);
}

TEST(MachineCode, OneSeriousFindingMakesItUnfit) {
  EXPECT_EQ(machine_code({}), 0);
  EXPECT_EQ(machine_code({{"a", "info", "", ""}, {"b", "warning", "", ""}}), 0);
  EXPECT_EQ(machine_code({{"a", "serious", "", ""}, {"b", "warning", "", ""}}), 5);
}

pipeline::Sweep sweep_of(pipeline::Ceiling ceiling) {
  pipeline::Sweep sweep;
  sweep.shapes.resize(1);
  sweep.shapes[0].curves.resize(1);
  sweep.shapes[0].curves[0].ceiling = std::move(ceiling);
  return sweep;
}

TEST(SweepCode, IsNoVerdictUnlessAnArmFailed) {
  using pipeline::Standing;
  EXPECT_EQ(sweep_code(sweep_of({1000, 2000, Standing::kSaturated, ""})), 0);
  EXPECT_EQ(sweep_code(sweep_of({1000, 0, Standing::kHeld, ""})), 0);
  EXPECT_EQ(sweep_code(sweep_of({1000, 2000, Standing::kGeneratorLimited, ""})), 0);
  EXPECT_EQ(sweep_code(sweep_of({1000, 2000, Standing::kFailed, ""})), 7);
  EXPECT_EQ(sweep_code(sweep_of({0, 1000, Standing::kSaturated, ""})), 7);
  EXPECT_EQ(sweep_code(sweep_of({0, 1000, Standing::kGeneratorLimited, ""})), 0);
}

}  // namespace
}  // namespace hone::cli
