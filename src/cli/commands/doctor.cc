#include "cli/commands/doctor.h"

#include <fmt/format.h>

#include <cstdio>
#include <memory>

#include "base/units.h"
#include "cli/console.h"
#include "cli/verdict_code.h"
#include "measure/machine/machine.h"
#include "pipeline/pipeline.h"
#include "pipeline/prove/positive_control.h"
#include "system/cpus.h"
#include "system/own_program.h"
#include "toolchain/toolchain.h"

namespace hone::cli {
namespace {

struct DoctorArguments {
  std::string recipe, toolchain, work = ".hone";
  int rounds = 8;
  bool json = false, control = false;
};

void print_tools(const std::vector<toolchain::ToolLine>& tools) {
  std::puts("Toolchain");
  for (const auto& tool : tools) {
    std::fputs(
        fmt::format("  {:<8} {:<16} {:<10} {}\n", tool.state, tool.tool, tool.version, tool.path)
            .c_str(),
        stdout);
    if (!tool.advice.empty()) std::fputs(("           " + tool.advice + "\n").c_str(), stdout);
  }
}

void print_findings(const Findings& findings) {
  std::puts("Machine");
  if (findings.empty()) std::puts("  found    nothing that speaks against a proof");
  for (const Finding& finding : findings) {
    std::fputs(fmt::format("  {:<8} {}\n", finding.severity == "info" ? "note" : finding.severity,
                           finding.text)
                   .c_str(),
               stdout);
    if (!finding.advice.empty())
      std::fputs(("           " + finding.advice + "\n").c_str(), stdout);
  }
}

// 0 where it was found; 5 where a proof on this machine would not see it either.
int run_control(const DoctorArguments& arguments, const std::vector<int>& server,
                const std::vector<int>& load, system::System& system) {
  Console console(system.clock.get(), false);
  console.stage("positive control", 0);
  pipeline::Store store(std::filesystem::absolute(arguments.work) / "doctor", "control",
                        system.files.get());
  const auto lock = store.lock();
  if (!lock) return report_error(lock.error());
  const auto control =
      pipeline::run_positive_control(system::own_program(), arguments.rounds, server, load, store,
                                     store.stage_dir("6-prove") / "work", system, console);
  if (!control) return report_error(control.error());
  const pipeline::Comparison& one = control->proof.comparisons.front();
  std::fputs(
      fmt::format("{} more work per request {}: {}, {} ({} to {}); a copy of the same server "
                  "differs by up to {}\n",
                  format_percent(pipeline::kDialled, 0),
                  control->found() ? "was found" : "was not found", measure::name(one.verdict),
                  format_signed_percent(one.estimate.effect),
                  format_signed_percent(one.estimate.low), format_signed_percent(one.estimate.high),
                  format_percent(one.floor))
          .c_str(),
      stdout);
  if (control->found()) return 0;
  std::fputs(
      fmt::format("this machine finds {} and more with {} rounds: quiet it, or use more of them "
                  "(--rounds)\n",
                  format_percent(one.smallest_detectable), one.rounds)
          .c_str(),
      stdout);
  return exit_code(ErrorKind::kMachineUnfit);
}

int run_doctor(const DoctorArguments& arguments, system::System& system) {
  std::string wanted = arguments.toolchain;
  pipeline::Cpus cpus;
  int workers = 1;
  if (!arguments.recipe.empty()) {
    const auto recipe = pipeline::load_recipe(arguments.recipe, {}, system);
    if (!recipe) return report_error(recipe.error());
    if (wanted.empty()) wanted = recipe->build.toolchain;
    cpus = recipe->prove.cpus;
    workers = recipe->server.workers;
  }
  const auto tools = toolchain::examine(wanted, system);
  std::vector<int> server;
  std::vector<int> load;
  const auto chosen = pipeline::choose_cpus(cpus, workers, system::allowed_cpus(), &server, &load);
  Findings findings;
  Json machine = measure::describe_machine(system);
  if (chosen) findings = measure::check_machine(system, server, load, &machine);
  if (arguments.json) {
    Json json = {{"machine", machine}, {"findings", findings}, {"tools", Json::array()}};
    for (const auto& tool : tools) {
      json["tools"].push_back({{"tool", tool.tool},
                               {"path", tool.path},
                               {"version", tool.version},
                               {"state", tool.state},
                               {"advice", tool.advice}});
    }
    std::fputs(dump(json).c_str(), stdout);
  } else {
    print_tools(tools);
    print_findings(findings);
  }
  if (!chosen) return report_error(chosen.error());
  if (arguments.control) return run_control(arguments, server, load, system);
  const auto complete = toolchain::discover(wanted, system);
  if (!complete) return report_error(complete.error());
  return machine_code(findings);
}

}  // namespace

void add_doctor(CLI::App& app, system::System& system, int* exit_code) {
  auto* verb = app.add_subcommand("doctor", "what hone needs: found, missing or unfit");
  auto arguments = std::make_shared<DoctorArguments>();
  verb->add_option("RECIPE", arguments->recipe, "look with this recipe's eyes");
  verb->add_option("--toolchain", arguments->toolchain, "LLVM major, or the folder of its tools");
  auto* json = verb->add_flag("--json", arguments->json, "print JSON");
  auto* control =
      verb->add_flag("--control", arguments->control,
                     "then prove that a proof here finds 3 % more work, in two minutes: "
                     "hone's origin against itself; exit 5 where it does not")
          ->excludes(json);
  verb->add_option("--rounds", arguments->rounds, "of --control")
      ->check(CLI::Range(6, 1000))
      ->needs(control)
      ->capture_default_str();
  verb->add_option("--work", arguments->work, "where --control keeps its rounds")
      ->needs(control)
      ->capture_default_str();
  verb->callback([arguments, &system, exit_code] { *exit_code = run_doctor(*arguments, system); });
}

}  // namespace hone::cli
