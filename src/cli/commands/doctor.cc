#include "cli/commands/doctor.h"

#include <fmt/format.h>

#include <cstdio>
#include <memory>

#include "cli/console.h"
#include "cli/verdict_code.h"
#include "measure/machine/machine.h"
#include "pipeline/pipeline.h"
#include "system/cpus.h"
#include "toolchain/toolchain.h"

namespace hone::cli {
namespace {

struct DoctorArguments {
  std::string recipe, toolchain;
  bool json = false;
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
  if (chosen) findings = measure::check_machine(system, server, load);
  if (arguments.json) {
    Json json = {{"machine", measure::describe_machine(system)},
                 {"findings", findings},
                 {"tools", Json::array()}};
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
  verb->add_flag("--json", arguments->json, "print JSON");
  verb->callback([arguments, &system, exit_code] { *exit_code = run_doctor(*arguments, system); });
}

}  // namespace hone::cli
