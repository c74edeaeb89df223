#include "cli/commands/status.h"

#include <fmt/format.h>

#include <cstdio>
#include <memory>

#include "cli/console.h"
#include "pipeline/store/store.h"

namespace hone::cli {
namespace {

constexpr const char* kStages[] = {"1-recipe",   "2-build", "3-train", "4-profile",
                                   "5-optimize", "6-prove", "7-report"};
// The file whose presence says that the stage is done.
constexpr const char* kDone[] = {"recipe.json",  "builds.json", "legs.json",  "profile.json",
                                 "product.json", "proof.json",  "values.json"};

Status print_runs(const system::Path& work, const system::Files& files) {
  if (!files.is_directory(work)) {
    std::puts("no runs here yet");
    return {};
  }
  HONE_TRY(const auto subjects, files.list(work));
  for (const auto& subject : subjects) {
    if (!files.is_directory(subject)) continue;
    HONE_TRY(const auto runs, files.list(subject));
    for (const auto& run : runs) {
      if (!pipeline::is_run_name(run.filename().string()) || !files.is_directory(run)) continue;
      std::string reached;
      for (std::size_t i = 0; i < std::size(kStages); ++i) {
        if (files.exists(run / kStages[i] / kDone[i])) reached = std::string(kStages[i]).substr(2);
      }
      if (files.exists(run / "sweep" / "values.json"))
        reached += reached.empty() ? "swept" : ", swept";
      if (reached.empty()) reached = "nothing finished";
      std::fputs(fmt::format("{:<24} {:<16} {}\n", subject.filename().string(),
                             run.filename().string(), reached)
                     .c_str(),
                 stdout);
    }
  }
  return {};
}

}  // namespace

void add_status(CLI::App& app, system::System& system, int* exit_code) {
  auto* verb = app.add_subcommand("status", "runs, and the last stage each one finished");
  auto work = std::make_shared<std::string>(".hone");
  verb->add_option("--work", *work, "where builds, legs and rounds are kept")
      ->capture_default_str();
  verb->callback([work, &system, exit_code] {
    const auto printed = print_runs(*work, *system.files);
    *exit_code = printed ? 0 : report_error(printed.error());
  });
}

}  // namespace hone::cli
