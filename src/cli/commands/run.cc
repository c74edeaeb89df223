#include "cli/commands/run.h"

#include <cstdio>
#include <memory>

#include "cli/commands/recipe_arguments.h"
#include "cli/console.h"
#include "cli/terminal_style.h"
#include "cli/verdict_code.h"
#include "pipeline/pipeline.h"
#include "pipeline/report/terminal.h"

namespace hone::cli {
namespace {

using pipeline::Stage;

struct RunArguments : RecipeArguments {
  std::string until, fail_on;
};

void add_common_arguments(CLI::App* verb, RunArguments* arguments) {
  verb->add_option("RECIPE", arguments->recipe, "recipe.toml, or the folder it lies in")
      ->required();
  verb->add_option("--run", arguments->options.run_name, "name of the run; runs share their builds")
      ->capture_default_str();
  verb->add_option("--work", arguments->work, "where builds, legs and rounds are kept")
      ->capture_default_str();
  verb->add_option("--output", arguments->output,
                   "folder for the reports and out/ (default: the run's own)");
  verb->add_flag("--json", arguments->json, "print JSON (report.json, after a proof), not text");
  verb->add_option("--fail-on", arguments->fail_on, "for CI: exit 0 unless the verdict is this bad")
      ->check(CLI::IsMember({"worse", "unresolved"}));
}

// What decides how a run is made: `hone report`, which repeats a finished one, has none of it.
void add_plan_arguments(CLI::App* verb, RunArguments* arguments) {
  add_build_arguments(verb, arguments);
  verb->add_option("--loads", arguments->options.plan.loads,
                   "prove only at loads of these names (wildcards, commas)");
  verb->add_flag("--dry-run", arguments->dry_run, "print the plan and stop");
}

// Before the proof there is no report: what the stages that were reached have made.
Json stages_json(const pipeline::RunOutcome& outcome) {
  const auto& values = outcome.values;
  Json json = {{"reached", pipeline::name(outcome.reached)}};
  if (outcome.reached >= Stage::kBuild) json["builds"] = values.builds;
  if (outcome.reached >= Stage::kTrain) json["legs"] = values.legs;
  if (outcome.reached >= Stage::kProfile) json["profile"] = values.profile;
  if (outcome.reached >= Stage::kOptimize) json["product"] = values.product;
  return json;
}

void print_outcome(const pipeline::RunOutcome& outcome, const RunArguments& arguments) {
  const bool proved = outcome.reached >= Stage::kProve;
  if (arguments.json) {
    const Json json = proved ? pipeline::make_report_json(outcome.values) : stages_json(outcome);
    std::fputs(dump(json).c_str(), stdout);
    return;
  }
  if (!proved) {
    std::printf("done up to %s\n", pipeline::name(outcome.reached));
    return;
  }
  const auto model = pipeline::make_run_report(outcome.values);
  std::fputs(pipeline::report::render_terminal(model, terminal_style()).c_str(), stdout);
  if (outcome.reached == Stage::kReport) {
    std::printf("\nreports: %s/report.html, report.md, report.json\n",
                outcome.output.string().c_str());
  }
}

void print_plan(const pipeline::Prepared& prepared, bool json) {
  if (!json) {
    std::fputs(pipeline::describe(prepared.plan, prepared.recipe).c_str(), stdout);
    return;
  }
  Json plan = prepared.plan;
  plan["subject"] = prepared.recipe.subject;
  std::fputs(dump(plan).c_str(), stdout);
}

int run_pipeline(const RunArguments& arguments, Stage until, bool only_report,
                 system::System& system) {
  pipeline::RunOptions options = run_options(arguments);
  options.until = until;
  if (!arguments.until.empty()) {
    const auto stage = pipeline::parse_stage(arguments.until);
    if (!stage) return report_error(stage.error());
    options.until = *stage;
  }
  const auto prepared = pipeline::prepare(options, system);
  if (!prepared) return report_error(prepared.error());
  if (arguments.dry_run) {
    print_plan(*prepared, arguments.json);
    return 0;
  }
  Result<pipeline::RunOutcome> outcome;
  if (only_report) {
    outcome = pipeline::report_again(options, *prepared, system);
  } else {
    const auto flush = find_flush_library(system);
    if (!flush) return report_error(flush.error());
    options.flush_library = *flush;
    if (!arguments.json) {
      std::fputs((pipeline::describe(prepared->plan, prepared->recipe) + "\n").c_str(), stdout);
      std::fflush(stdout);
    }
    Console console(system.clock.get(), arguments.json);
    outcome = pipeline::run(options, *prepared, system, console);
  }
  if (!outcome) return report_error(outcome.error());
  print_outcome(*outcome, arguments);
  return outcome->reached < Stage::kProve ? 0
                                          : verdict_code(outcome->values.proof, arguments.fail_on);
}

void add_verb(CLI::App& app, system::System& system, const std::string& command, int* exit_code,
              const std::string& verb_name, const std::string& help, Stage until) {
  auto* verb = app.add_subcommand(verb_name, help);
  auto arguments = std::make_shared<RunArguments>();
  arguments->options.command = command;
  add_common_arguments(verb, arguments.get());
  if (verb_name != "report") add_plan_arguments(verb, arguments.get());
  if (verb_name == "run") {
    verb->add_option("--until", arguments->until,
                     "stop after this stage: build, train, profile, optimize, prove or report");
  }
  verb->callback([arguments, until, verb_name, &system, exit_code] {
    *exit_code = run_pipeline(*arguments, until, verb_name == "report", system);
  });
}

}  // namespace

void add_run(CLI::App& app, system::System& system, const std::string& command, int* exit_code) {
  const auto add = [&](const std::string& verb, const std::string& help, Stage until) {
    add_verb(app, system, command, exit_code, verb, help, until);
  };
  add("run", "everything: build, train, merge, optimize, prove, report", Stage::kReport);
  add("build", "the baseline and the instrumented build", Stage::kBuild);
  add("train", "... and the training legs", Stage::kTrain);
  add("profile", "... and the merged profile", Stage::kProfile);
  add("optimize", "... and the optimized build, in out/", Stage::kOptimize);
  add("prove", "... and the proof", Stage::kProve);
  add("report", "the reports again, from a finished run; measures nothing", Stage::kReport);
}

}  // namespace hone::cli
