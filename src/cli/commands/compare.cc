#include "cli/commands/compare.h"

#include <cstdio>
#include <memory>

#include "base/text.h"
#include "cli/commands/command_arms.h"
#include "cli/console.h"
#include "cli/terminal_style.h"
#include "cli/verdict_code.h"
#include "pipeline/prove/prove.h"
#include "pipeline/report/terminal.h"
#include "traffic/load/arrivals.h"

namespace hone::cli {
namespace {

struct CompareArguments {
  CommandArms arms;
  std::string arrivals = "poisson", work = ".hone", output, fail_on, command;
  double rate = 0, busy = 60, duration_s = 4, precision = 0;
  int rounds = 8, slices = pipeline::Prove{}.slices;
  bool json = false, no_checks = false, in_turn = false, callgrind = false;
};

// One for each pattern of arrivals.
Result<std::vector<pipeline::Load>> make_loads(const CompareArguments& arguments) {
  std::vector<pipeline::Load> loads;
  for (const std::string& text : split(arguments.arrivals, ',')) {
    HONE_TRY(const auto arrivals, traffic::load::parse_arrivals(text));
    pipeline::Load load;
    load.name = arguments.rate > 0 ? "fixed" : "busy";
    load.rate = arguments.rate;
    load.busy = arguments.rate > 0 ? 0 : arguments.busy / 100;
    load.arrivals = to_string(arrivals);
    loads.push_back(load);
  }
  if (loads.size() == 1) return loads;
  for (pipeline::Load& load : loads) load.name = replace_all(load.arrivals, ":", "-");
  return loads;
}

Result<pipeline::Design> make_design(const CompareArguments& arguments, system::System& system) {
  HONE_TRY(auto design, make_command_design(arguments.arms, system));
  HONE_TRY(design.loads, make_loads(arguments));
  design.settings.rounds = arguments.rounds;
  design.settings.precision = arguments.precision / 100;
  design.settings.side_by_side = !arguments.in_turn;
  design.settings.callgrind = arguments.callgrind;
  if (arguments.no_checks) {
    design.settings.rounds_in_turn = design.settings.rounds_without_spinner = 0;
  }
  design.settings.slices = arguments.slices;
  design.settings.slice_s = arguments.duration_s / arguments.slices;
  return design;
}

Result<pipeline::RunValues> compare(const CompareArguments& arguments, system::System& system) {
  HONE_TRY(auto design, make_design(arguments, system));
  Console console(system.clock.get(), arguments.json);
  pipeline::Store store(std::filesystem::absolute(arguments.work) / "compare",
                        "seed-" + std::to_string(design.settings.seed), system.files.get());
  HONE_TRY(const auto lock, store.lock());
  const auto begin = system.clock->now();
  pipeline::RunValues values = begin_values(arguments.command, &design, system);
  console.stage("compare", 0);
  console.line("seed " + std::to_string(design.settings.seed) +
               " (with --seed, the same command goes on where it was cut)");
  for (const Finding& finding : values.findings) console.finding(finding);
  HONE_TRY(values.proof,
           pipeline::prove(design, store, store.stage_dir("6-prove") / "work", system, console));
  // As `hone run` leaves it: `hone status` tells a finished proof by it.
  HONE_CHECK(
      system.files->write(store.stage_dir("6-prove") / "proof.json", dump(Json(values.proof))));
  values.finished_at = system.clock->wall_time();
  values.wall_s = system::to_seconds(system.clock->now() - begin);
  return values;
}

int run_compare(const CompareArguments& arguments, system::System& system) {
  const auto values = compare(arguments, system);
  if (!values) return report_error(values.error());
  if (!arguments.output.empty()) {
    const auto written = pipeline::write_reports(
        *values, std::filesystem::absolute(arguments.output), *system.files);
    if (!written) return report_error(written.error());
  }
  if (arguments.json) {
    std::fputs(dump(pipeline::make_report_json(*values)).c_str(), stdout);
  } else {
    const auto model = pipeline::make_run_report(*values);
    std::fputs(pipeline::report::render_terminal(model, terminal_style()).c_str(), stdout);
  }
  return verdict_code(values->proof, arguments.fail_on);
}

}  // namespace

void add_compare(CLI::App& app, system::System& system, const std::string& command,
                 int* exit_code) {
  auto* verb = app.add_subcommand(
      "compare", "prove a difference between any two commands, or of several against one");
  auto arguments = std::make_shared<CompareArguments>();
  auto& a = *arguments;
  a.command = command;
  for (CLI::Option* option : add_command_arms(verb, &a.arms)) {
    const std::string name = option->get_name();
    if (name == "--a" || name == "--b" || name == "--ready" || name == "--url") option->required();
  }
  auto* rate = verb->add_option("--rate", a.rate, "requests per second in total")
                   ->check(CLI::PositiveNumber);
  verb->add_option("--busy", a.busy, "per cent of the server's CPUs that A is to use")
      ->check(CLI::Range(1.0, 95.0))
      ->excludes(rate)
      ->capture_default_str();
  verb->add_option("--arrivals", a.arrivals,
                   "even, even:strict, poisson or burst:N; several, with commas, are compared each")
      ->capture_default_str();
  verb->add_option(
          "--precision", a.precision,
          "per cent to either side of the effect: after --rounds rounds it is fixed how many "
          "the interval takes in all")
      ->check(CLI::Range(0.01, 100.0));
  verb->add_flag("--no-checks", a.no_checks,
                 "leave out the rounds in turn and without spinner that check the others");
  verb->add_flag("--in-turn", a.in_turn, "never two arms alive at once: all rounds in turn");
  verb->add_flag("--callgrind", a.callgrind,
                 "at the end, count instructions of requests under valgrind: for machines without "
                 "hardware counters");
  verb->add_option("--rounds", a.rounds, "a verdict needs at least 6")
      ->check(CLI::Range(2, 1000))
      ->capture_default_str();
  verb->add_option("--duration", a.duration_s, "counted seconds of load per arm and round")
      ->check(CLI::Range(0.4, 3600.0))
      ->capture_default_str();
  verb->add_option("--slices", a.slices, "that --duration is dealt out in, among the other arms'")
      ->check(CLI::Range(pipeline::kLeastSlices, pipeline::kMostSlices))
      ->capture_default_str();
  verb->add_option("--work", a.work, "where rounds are kept")->capture_default_str();
  verb->add_option("--output", a.output, "folder for report.json, report.md, report.html");
  verb->add_flag("--json", a.json, "print report.json");
  verb->add_option("--fail-on", a.fail_on, "for CI: exit 0 unless the verdict is this bad")
      ->check(CLI::IsMember({"worse", "unresolved"}));
  verb->footer(kPlaceholderHelp);
  verb->callback([arguments, &system, exit_code] { *exit_code = run_compare(*arguments, system); });
}

}  // namespace hone::cli
