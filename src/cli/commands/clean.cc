// Removes only what carries hone's own marks: a mistyped --work must not cost anybody a folder. All
// of it is looked at and locked before the first folder goes.
#include "cli/commands/clean.h"

#include <cstdio>
#include <memory>

#include "base/text.h"
#include "cli/console.h"
#include "pipeline/store/store.h"

namespace hone::cli {
namespace {

using Folders = std::vector<system::Path>;

Result<Folders> one_folder(const system::Path& work, const std::string& subject,
                           const system::Files& files) {
  if (!is_plain_name(subject)) {
    return fail(ErrorKind::kUsage, "'" + subject + "' cannot be the name of a subject",
                "hone status lists them");
  }
  const system::Path folder = work / subject;
  if (!pipeline::Store::is_root(folder, files)) {
    return fail(ErrorKind::kNotFound, folder.string() + " is not a subject's folder",
                "hone status lists them");
  }
  return Folders{folder};
}

Result<Folders> every_folder(const system::Path& work, const system::Files& files) {
  Folders own;
  if (!files.is_directory(work)) return own;
  HONE_TRY(const Folders entries, files.list(work));
  std::vector<std::string> others;
  for (const auto& entry : entries) {
    const std::string name = entry.filename().string();
    if (is_plain_name(name) && pipeline::Store::is_root(entry, files)) {
      own.push_back(entry);
    } else {
      others.push_back(name);
    }
  }
  if (!others.empty()) {
    std::printf("left alone, not hone's: %s\n", join(others, ", ").c_str());
  }
  return own;
}

Status clean(const system::Path& work, const std::string& subject, bool all, system::Files& files) {
  if (subject.empty() == !all) {
    return fail(ErrorKind::kUsage, "name a subject, or say --all", "hone status lists them");
  }
  HONE_TRY(const Folders folders,
           all ? every_folder(work, files) : one_folder(work, subject, files));
  std::vector<std::unique_ptr<system::Lock>> locks;
  for (const auto& folder : folders) {
    HONE_TRY(auto lock, pipeline::Store(folder, "default", &files).lock());
    locks.push_back(std::move(lock));
  }
  for (const auto& folder : folders) {
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
