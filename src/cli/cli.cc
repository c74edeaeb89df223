#include "cli/cli.h"

#include <CLI/CLI.hpp>
#include <cstdio>

#include "base/text.h"
#include "cli/commands/clean.h"
#include "cli/commands/compare.h"
#include "cli/commands/doctor.h"
#include "cli/commands/load.h"
#include "cli/commands/origin.h"
#include "cli/commands/run.h"
#include "cli/commands/status.h"
#include "cli/commands/sweep.h"

namespace hone::cli {
namespace {

constexpr const char* kFooter =
    "Exit status: 0 saved, 2 usage, 3 unresolved, 4 worse, 5 machine unfit, 6 same,\n"
    "7 an arm failed, 8 withheld, 10 and up one per kind of error (docs/exit-codes.md).\n"
    "\n"
    "Examples:\n"
    "  hone run subjects/nghttpx --dry-run     what would be done, and how long it takes\n"
    "  hone run subjects/nghttpx               from source to a proved saving\n"
    "  hone compare --a './old -p {port}' --b './new -p {port}' \\\n"
    "               --ready http://127.0.0.1:{port}/ --url http://127.0.0.1:{port}/\n";

// CLI11's own words, in hone's form, with the nearest verb where one was mistyped.
int usage_error(const CLI::App& app, const CLI::ParseError& e, int argc, char** argv) {
  if (e.get_exit_code() == 0) return app.exit(e);  // --help, --version
  std::string next = "see `hone --help`";
  if (argc > 1 && app.get_subcommands().empty()) {
    std::vector<std::string> verbs;
    for (const auto* sub : app.get_subcommands([](const CLI::App*) { return true; })) {
      verbs.push_back(sub->get_name());
    }
    const std::string near = nearest(argv[1], verbs);
    if (!near.empty()) next = "did you mean `hone " + near + "`?";
  } else if (!app.get_subcommands().empty()) {
    next = "see `hone " + app.get_subcommands().front()->get_name() + " --help`";
  }
  Error error{ErrorKind::kUsage, e.what(), {}, next, {}};
  std::fputs(describe(error).c_str(), stderr);
  return exit_code(ErrorKind::kUsage);
}

}  // namespace

int run_cli(int argc, char** argv, system::System& system) {
  CLI::App app{
      "hone: a PGO + ThinLTO build of a C++ server, trained on traffic like yours, and "
      "the proof of what it saves in CPU per request.",
      "hone"};
  app.set_version_flag("--version", std::string("hone ") + HONE_VERSION);
  app.require_subcommand(1);
  app.footer(kFooter);
  int status = 0;
  const std::string command = shell_join({argv, argv + argc});
  add_run(app, system, command, &status);
  add_compare(app, system, command, &status);
  add_sweep(app, system, command, &status);
  add_doctor(app, system, &status);
  add_status(app, system, &status);
  add_clean(app, system, &status);
  add_load(app, system, &status);
  add_origin(app, system, &status);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return usage_error(app, e, argc, argv);
  }
  return status;
}

}  // namespace hone::cli
