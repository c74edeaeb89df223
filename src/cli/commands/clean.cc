#include "cli/commands/clean.h"

#include <cstdio>
#include <memory>

#include "cli/console.h"
#include "pipeline/store/store.h"

namespace hone::cli {
namespace {

Status clean(const system::Path& work, const std::string& subject, bool all, system::Files& files) {
  if (subject.empty() == !all) {
    return fail(ErrorKind::kUsage, "name a subject, or say --all", "hone status lists them");
  }
  std::vector<system::Path> folders;
  if (all) {
    if (!files.is_directory(work)) return {};
    HONE_TRY(folders, files.list(work));
  } else {
    folders.push_back(work / subject);
  }
  for (const auto& folder : folders) {
    if (subject.find('/') != std::string::npos || !files.is_directory(folder)) {
      return fail(ErrorKind::kNotFound, folder.string() + " is not a subject's folder",
                  "hone status lists them");
    }
    pipeline::Store store(folder, "default", &files);
    HONE_TRY(const auto lock, store.lock());
    HONE_CHECK(files.remove_all(folder));
    std::printf("removed %s\n", folder.string().c_str());
  }
  return {};
}

}  // namespace

void add_clean(CLI::App& app, system::System& system, int* exit_code) {
  struct Arguments {
    std::string work = ".hone", subject;
    bool all = false;
  };
  auto* verb = app.add_subcommand("clean", "remove what was built and measured");
  auto arguments = std::make_shared<Arguments>();
  verb->add_option("SUBJECT", arguments->subject, "as `hone status` names it");
  verb->add_flag("--all", arguments->all, "every subject");
  verb->add_option("--work", arguments->work, "where builds, legs and rounds are kept")
      ->capture_default_str();
  verb->callback([arguments, &system, exit_code] {
    const auto done = clean(arguments->work, arguments->subject, arguments->all, *system.files);
    *exit_code = done ? 0 : report_error(done.error());
  });
}

}  // namespace hone::cli
