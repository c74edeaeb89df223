// What a command will do: arms x shapes x loads, and the steps each arm needs before it exists.
// Made from a recipe and the command line; printed before anything starts; walked by pipeline.cc.
#pragma once

#include <string>
#include <vector>

#include "base/error.h"
#include "base/json.h"
#include "pipeline/recipe/recipe.h"

namespace hone::pipeline {

struct Step {
  enum class Kind { kBuild, kTrain, kMerge };
  std::string id;  // "build:baseline", "train", "merge", "build:pgo-thinlto"
  Kind kind = Kind::kBuild;
  std::string flags;                // kBuild: "baseline", "instrumented" or "pgo-thinlto"
  std::vector<std::string> inputs;  // ids of earlier steps: a train names the build it runs, ...
  double expected_s = 0;            // 0: unknown
};
NLOHMANN_JSON_SERIALIZE_ENUM(Step::Kind, {{Step::Kind::kBuild, "build"},
                                          {Step::Kind::kTrain, "train"},
                                          {Step::Kind::kMerge, "merge"}})
HONE_JSON(Step)

struct PlannedArm {
  std::string name;     // "A", "B"
  std::string variant;  // "baseline", "pgo-thinlto"
  std::string build;    // id of the step that makes its binary
};
HONE_JSON(PlannedArm)

struct Plan {
  std::vector<Step> steps;       // in an order in which every input comes first
  std::vector<PlannedArm> arms;  // the base first; a proof adds copies of it
  std::vector<std::string> train_shapes, prove_shapes;
  std::vector<Load> loads;
  Train train;  // the recipe's, as --smoke or --full change it: these are what runs
  Prove prove;
  double expected_prove_s = 0;
};
HONE_JSON(Plan)

struct PlanOptions {
  bool smoke = false, full = false;
  std::string shapes;  // glob over shape names; empty: all that prove
  std::string loads;   // glob over load names; empty: all
  std::string variant = "pgo-thinlto";
};

// kUsage when a glob matches nothing, kRecipe when nothing is trained.
Result<Plan> make_plan(const Recipe&, const PlanOptions&);
// Several lines each, for the terminal: the whole plan; what is done before the proof alone.
std::string describe(const Plan&, const Recipe&);
std::string describe_steps(const Plan&, const Recipe&);

}  // namespace hone::pipeline
