// The plan of `hone run`: one variant against the baseline. The steps carry their inputs, so that a
// plan with more variants is a longer list and not another program.
//
// --shapes narrows the proof alone. Training keeps every trained shape: the profile, and with it
// the optimized binary in the store, must not depend on which shapes someone looks at today.
#include "pipeline/plan/plan.h"
#include "pipeline/plan/round_plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "base/units.h"

namespace hone::pipeline {
namespace {

const char kVariant[] = "pgo-thinlto";

// Starting and stopping a server with its origin, connecting and writing profiles: 1 to 2 s were
// seen with nghttpx and Traffic Server.
constexpr double kStartStopS = 2;

// --smoke: the whole training under a minute, with room for slow starts.
constexpr double kSmokeTrainingS = 55;
constexpr double kSmokeLegS = 3;
constexpr double kLeastLegS = 1;
// Six rounds are the fewest that can reach a verdict; four slices still balance the order.
constexpr int kSmokeRounds = 6;
constexpr int kSmokeSlices = 4;
constexpr double kSmokeSliceS = 0.25;
constexpr double kSmokeHeadS = 0.1;

// --full: the length of legs in published training recipes of large proxies.
constexpr double kFullLegS = 60;

double smoke_leg_s(double wanted, std::size_t legs) {
  const double room = kSmokeTrainingS / static_cast<double>(legs) - kStartStopS;
  return std::min(wanted, std::max(std::min(kSmokeLegS, room), kLeastLegS));
}

// Never longer than the recipe: a smoke run of an already short recipe stays short.
void make_smoke(Plan* plan) {
  plan->train.leg_s = smoke_leg_s(plan->train.leg_s, plan->train_shapes.size());
  Prove& prove = plan->prove;
  prove.rounds = std::min(prove.rounds, kSmokeRounds);
  prove.precision = 0;
  prove.rounds_in_turn = prove.rounds_without_spinner = 0;
  prove.slices = std::min(prove.slices, kSmokeSlices);
  prove.slice_s = std::min(prove.slice_s, kSmokeSliceS);
  prove.head_s = std::min(prove.head_s, kSmokeHeadS);
}

std::vector<Step> make_steps(const Plan& plan) {
  const double training_s =
      static_cast<double>(plan.train_shapes.size()) * (plan.train.leg_s + kStartStopS);
  return {
      {"build:baseline", Step::Kind::kBuild, "baseline", {}, 0},
      {"build:instrumented", Step::Kind::kBuild, "instrumented", {}, 0},
      {"train", Step::Kind::kTrain, "", {"build:instrumented"}, training_s},
      {"merge", Step::Kind::kMerge, "", {"train"}, 0},
      {std::string("build:") + kVariant, Step::Kind::kBuild, kVariant, {"merge"}, 0},
  };
}

double expected_prove_s(const Plan& plan) {
  const Prove& prove = plan.prove;
  const double slices_s = prove.slices * (prove.slice_s + prove.head_s);
  double round_s = 0;
  for (const CandidateDeal& block : deal_candidates(plan.arms.size() - 1)) {
    round_s += static_cast<double>(block.count + 2) * slices_s + kStartStopS;
  }
  const auto rounds = static_cast<double>(plan_rounds(prove, prove.rounds).size());
  return static_cast<double>(plan.prove_shapes.size() * plan.loads.size()) * rounds * round_s;
}

Result<std::vector<std::string>> choose_shapes(const Recipe& recipe, const std::string& glob) {
  std::vector<std::string> chosen, candidates;
  for (const subject::Shape& shape : recipe.shapes) {
    if (!shape.prove) continue;
    candidates.push_back(shape.name);
    if (glob.empty() || matches_glob(glob, shape.name)) chosen.push_back(shape.name);
  }
  if (candidates.empty()) {
    return fail(ErrorKind::kRecipe, recipe.file + ": no [[shape]] has prove = true",
                "set prove = true on the shapes that the proof shall measure");
  }
  if (chosen.empty()) {
    return fail(ErrorKind::kUsage, "--shapes " + glob + " matches no shape of the recipe",
                "its shapes are " + join(candidates, ", "));
  }
  return chosen;
}

Result<std::vector<Load>> choose_loads(const Recipe& recipe, const std::string& glob) {
  std::vector<Load> chosen;
  std::vector<std::string> names;
  for (const Load& load : recipe.loads) {
    names.push_back(load.name);
    if (glob.empty() || matches_glob(glob, load.name)) chosen.push_back(load);
  }
  if (chosen.empty()) {
    return fail(ErrorKind::kUsage, "--loads " + glob + " matches no load of the recipe",
                "its loads are " + join(names, ", "));
  }
  return chosen;
}

std::string describe_load(const Load& load) {
  const std::string size = load.busy > 0 ? format_percent(load.busy, 0) + " busy"
                                         : fmt::format("{:g} requests/s", load.rate);
  return load.name + " (" + size + ", " + load.arrivals + ")";
}

std::string describe_step(const Step& step, const Plan& plan) {
  std::string text = "  " + step.id;
  if (!step.inputs.empty()) text += " from " + join(step.inputs, ", ");
  if (step.kind == Step::Kind::kTrain) {
    const std::size_t legs = plan.train_shapes.size();
    text += fmt::format(": {} leg{} of {}, about {}", legs, legs == 1 ? "" : "s",
                        format_duration(plan.train.leg_s), format_duration(step.expected_s));
  }
  return text + "\n";
}

}  // namespace

Result<Plan> make_plan(const Recipe& recipe, const PlanOptions& options) {
  if (options.smoke && options.full) {
    return fail(ErrorKind::kUsage, "--smoke and --full exclude each other", "keep one of them");
  }
  if (options.variant != kVariant) {
    return fail(ErrorKind::kUsage, "unknown variant '" + options.variant + "'",
                std::string("the variant to prove is ") + kVariant);
  }
  Plan plan;
  plan.train = recipe.train;
  plan.prove = recipe.prove;
  for (const subject::Shape& shape : recipe.shapes) {
    if (shape.train) plan.train_shapes.push_back(shape.name);
  }
  if (plan.train_shapes.empty()) {
    return fail(ErrorKind::kRecipe, recipe.file + ": no [[shape]] has train = true",
                "a profile needs traffic: set train = true on the shapes that users send");
  }
  HONE_TRY(plan.prove_shapes, choose_shapes(recipe, options.shapes));
  HONE_TRY(plan.loads, choose_loads(recipe, options.loads));
  if (options.smoke) make_smoke(&plan);
  if (options.full) plan.train.leg_s = std::max(plan.train.leg_s, kFullLegS);
  plan.steps = make_steps(plan);
  plan.arms = {{"A", "baseline", "build:baseline"},
               {"B", options.variant, "build:" + options.variant}};
  plan.expected_prove_s = expected_prove_s(plan);
  return plan;
}

std::string describe_steps(const Plan& plan, const Recipe& recipe) {
  std::string text = "plan for " + recipe.subject +
                     (recipe.summary.empty() ? "" : ": " + recipe.summary) + "\nsteps\n";
  for (const Step& step : plan.steps) text += describe_step(step, plan);
  return text;
}

std::string describe(const Plan& plan, const Recipe& recipe) {
  std::string text = describe_steps(plan, recipe) + "proof\n";
  std::vector<std::string> arms, shapes, loads;
  for (const PlannedArm& arm : plan.arms) arms.push_back(arm.name + " " + arm.variant);
  bool untrained = false;
  for (const std::string& shape : plan.prove_shapes) {
    const bool trained = std::find(plan.train_shapes.begin(), plan.train_shapes.end(), shape) !=
                         plan.train_shapes.end();
    shapes.push_back(shape + (trained ? "" : "*"));
    untrained = untrained || !trained;
  }
  for (const Load& load : plan.loads) loads.push_back(describe_load(load));
  const Prove& prove = plan.prove;
  text += "  arms    " + join(arms, ", ") + ", A' a byte copy of A (the noise floor)\n";
  text += "  shapes  " + join(shapes, ", ") + (untrained ? "   (* not trained)" : "") + "\n";
  text += "  loads   " + join(loads, ", ") + "\n";
  const auto checks =
      plan_rounds(prove, prove.rounds).size() - static_cast<std::size_t>(prove.rounds);
  text +=
      fmt::format("  rounds  {} for each shape and load{}, {} slices of {} an arm\n", prove.rounds,
                  checks > 0 ? fmt::format(" and {} that check them", checks) : "", prove.slices,
                  format_duration(prove.slice_s));
  double training_s = 0;
  for (const Step& step : plan.steps) {
    if (step.kind == Step::Kind::kTrain) training_s += step.expected_s;
  }
  text += "time, estimated: training " + format_duration(training_s) + ", proof " +
          format_duration(plan.expected_prove_s) + "; builds are not known before the first\n";
  return text;
}

}  // namespace hone::pipeline
