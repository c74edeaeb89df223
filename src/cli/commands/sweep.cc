// Exit status: 0 where the sweep came to ceilings, 7 where an arm failed or held none of the rates.
// A sweep has no verdict.
#include "cli/commands/sweep.h"

#include <fmt/format.h>

#include <cstdio>
#include <memory>

#include "cli/commands/command_arms.h"
#include "cli/commands/recipe_arguments.h"
#include "cli/console.h"
#include "cli/terminal_style.h"
#include "cli/verdict_code.h"
#include "pipeline/report/terminal.h"
#include "pipeline/sweep/sweep.h"
#include "traffic/load/arrivals.h"

namespace hone::cli {
namespace {

struct SweepArguments : RecipeArguments {
  CommandArms arms;
  pipeline::SweepSettings settings;
  std::string rates;
};

Result<pipeline::SweepSettings> make_settings(const SweepArguments& arguments) {
  pipeline::SweepSettings settings = arguments.settings;
  if (!arguments.rates.empty()) {
    HONE_TRY(settings.rates, pipeline::parse_rates(arguments.rates));
  }
  HONE_TRY(const auto arrivals, traffic::load::parse_arrivals(settings.arrivals));
  settings.arrivals = to_string(arrivals);
  return settings;
}

Result<pipeline::SweepOutcome> sweep_commands(const SweepArguments& arguments,
                                              system::System& system) {
  pipeline::SweepDesign design;
  HONE_TRY(design.settings, make_settings(arguments));
  if (arguments.arms.b.size() > 1) {
    return fail(ErrorKind::kUsage, "a sweep takes one --b at most",
                "sweep each with the same --a and --rates");
  }
  HONE_TRY(design.design, make_command_design(arguments.arms, system));
  Console console(system.clock.get(), arguments.json);
  const std::uint64_t seed = design.design.settings.seed;
  pipeline::Store store(std::filesystem::absolute(arguments.work) / "sweep",
                        "seed-" + std::to_string(seed), system.files.get());
  HONE_TRY(const auto lock, store.lock());
  const auto begin = system.clock->now();
  pipeline::SweepOutcome outcome;
  pipeline::RunValues& run = outcome.values.run;
  run = begin_values(arguments.options.command, &design.design, system);
  console.stage("sweep", expected_s(design.settings, 1 + design.design.candidates.size()));
  console.line(
      fmt::format("seed {} (with --seed, the same command goes on where it was cut)", seed));
  for (const Finding& finding : run.findings) console.finding(finding);
  HONE_TRY(outcome.values.sweep,
           pipeline::run_sweep(design, store, store.stage_dir("sweep") / "work", system, console));
  run.proof.design = design.design;
  run.proof.findings = outcome.values.sweep.findings;
  run.finished_at = system.clock->wall_time();
  run.wall_s = system::to_seconds(system.clock->now() - begin);
  // As a recipe's sweep leaves it: `hone status` tells a finished sweep by it.
  HONE_CHECK(
      system.files->write(store.stage_dir("sweep") / "values.json", dump(Json(outcome.values))));
  if (arguments.output.empty()) return outcome;
  outcome.output = std::filesystem::absolute(arguments.output);
  HONE_CHECK(write_sweep_reports(outcome.values, outcome.output, *system.files));
  return outcome;
}

// The builds first, where they are missing.
Result<pipeline::SweepOutcome> sweep_recipe(const SweepArguments& arguments,
                                            const pipeline::Prepared& prepared,
                                            system::System& system) {
  pipeline::RunOptions options = run_options(arguments);
  HONE_TRY(const auto settings, make_settings(arguments));
  HONE_TRY(options.flush_library, find_flush_library(system));
  Console console(system.clock.get(), arguments.json);
  return pipeline::sweep(options, settings, prepared, system, console);
}

void print_plan(const SweepArguments& arguments, const pipeline::Prepared& prepared,
                const pipeline::SweepSettings& settings) {
  constexpr std::size_t kArms = 2;  // the baseline and the optimized build
  if (!arguments.json) {
    std::fputs((describe_steps(prepared.plan, prepared.recipe) +
                describe(settings, kArms, prepared.plan.prove_shapes) + "\n")
                   .c_str(),
               stdout);
    std::fflush(stdout);
  } else if (arguments.dry_run) {
    const Json plan = {{"subject", prepared.recipe.subject},
                       {"steps", prepared.plan.steps},
                       {"shapes", prepared.plan.prove_shapes},
                       {"sweep", settings}};
    std::fputs(dump(plan).c_str(), stdout);
  }
}

int print_outcome(const SweepArguments& arguments, const pipeline::SweepOutcome& outcome) {
  if (arguments.json) {
    std::fputs(dump(make_sweep_json(outcome.values)).c_str(), stdout);
  } else {
    const auto model = make_sweep_report(outcome.values);
    std::fputs(pipeline::report::render_terminal(model, terminal_style()).c_str(), stdout);
    if (!outcome.output.empty()) {
      std::printf("\nreports: %s/report.html, report.md, report.json\n",
                  outcome.output.string().c_str());
    }
  }
  return sweep_code(outcome.values.sweep);
}

int run_sweep_verb(const SweepArguments& arguments, system::System& system) {
  Result<pipeline::SweepOutcome> outcome;
  if (!arguments.recipe.empty()) {
    const auto settings = make_settings(arguments);
    if (!settings) return report_error(settings.error());
    const auto prepared = pipeline::prepare(run_options(arguments), system);
    if (!prepared) return report_error(prepared.error());
    print_plan(arguments, *prepared, *settings);
    if (arguments.dry_run) return 0;
    outcome = sweep_recipe(arguments, *prepared, system);
  } else if (arguments.arms.a.empty() || arguments.arms.ready.empty() ||
             arguments.arms.url.empty()) {
    return report_error({ErrorKind::kUsage,
                         "neither a recipe nor --a, --ready and --url",
                         {},
                         "hone sweep RECIPE, or hone sweep --a 'SERVER --port {port}' --ready URL "
                         "--url URL",
                         {}});
  } else {
    outcome = sweep_commands(arguments, system);
  }
  if (!outcome) return report_error(outcome.error());
  return print_outcome(arguments, *outcome);
}

void add_sweep_settings(CLI::App* verb, SweepArguments* arguments) {
  auto& settings = arguments->settings;
  auto* rates = verb->add_option("--rates", arguments->rates,
                                 "requests/s: 1000,2000,4000, or FROM:TO:COUNT with equal ratios; "
                                 "without, found by doubling up to saturation");
  verb->add_option("--points", settings.points, "how many rates, where they are found")
      ->check(CLI::Range(4, 100))
      ->excludes(rates)
      ->capture_default_str();
  verb->add_option("--repeats", settings.repeats, "of every rate on every arm")
      ->check(CLI::Range(1, 100))
      ->capture_default_str();
  verb->add_option("--duration", settings.slice_s, "counted seconds of each point")
      ->check(CLI::Range(0.2, 600.0))
      ->capture_default_str();
  verb->add_option("--p99", settings.p99_limit_ms, "ms: a rate with a higher p99 is not held")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  verb->add_option("--arrivals", settings.arrivals, "even, even:strict, poisson or burst:N")
      ->capture_default_str();
}

}  // namespace

void add_sweep(CLI::App& app, system::System& system, const std::string& command, int* exit_code) {
  auto* verb = app.add_subcommand(
      "sweep", "loads up to saturation: CPU per request, latency and the ceiling of every arm");
  auto arguments = std::make_shared<SweepArguments>();
  auto& a = *arguments;
  a.options.command = command;
  auto* recipe = verb->add_option("RECIPE", a.recipe,
                                  "recipe.toml, or the folder it lies in: its baseline against its "
                                  "optimized build, built where missing");
  add_sweep_settings(verb, &a);
  for (CLI::Option* option : add_command_arms(verb, &a.arms)) {
    option->excludes(recipe)->group("Commands, without a recipe");
  }
  std::vector<CLI::Option*> of_recipe = add_build_arguments(verb, &a);
  of_recipe.push_back(
      verb->add_option("--run", a.options.run_name, "name of the run; runs share their builds")
          ->capture_default_str());
  of_recipe.push_back(verb->add_flag("--dry-run", a.dry_run, "print the plan and stop"));
  for (CLI::Option* option : of_recipe) option->needs(recipe)->group("Of a recipe");
  verb->add_option("--work", a.work, "where builds and points are kept")->capture_default_str();
  verb->add_option("--output", a.output,
                   "folder for report.json, report.md, report.html (a recipe's default: the run's "
                   "own)");
  verb->add_flag("--json", a.json, "print report.json");
  verb->footer(kPlaceholderHelp);
  verb->callback(
      [arguments, &system, exit_code] { *exit_code = run_sweep_verb(*arguments, system); });
}

}  // namespace hone::cli
