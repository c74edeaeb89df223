#include "build_systems/steps.h"

#include <algorithm>

#include "base/text.h"
#include "base/units.h"
#include "build_systems/first_error.h"

namespace hone::build_systems {
namespace {

// A disk with less than one page-cache write of a compiler left is full to every practical end.
constexpr std::uint64_t kFullBytes = 64 << 10;

system::Path marker(const Job& job, const std::string& step) {
  return job.tree / ".hone" / (step + ".done");
}

std::string assignments(const Environment& env) {
  std::string text;
  for (const auto& [name, value] : env) text += name + "=" + shell_quote(value) + " ";
  return text;
}

}  // namespace

Result<system::Exit> Steps::execute(const std::vector<std::string>& argv, const system::Path& cwd,
                                    const Environment& env) {
  std::string log;
  if (os_->files->exists(job_->log)) {
    HONE_TRY(log, os_->files->read(job_->log));
  }
  log += "$ cd " + shell_quote(cwd.string()) + " && " + assignments(env) + shell_join(argv) + "\n";
  HONE_CHECK(os_->files->write(job_->log, log));
  log_begin_ = log.size();

  system::Command command;
  command.argv = argv;
  command.env = env;
  command.cwd = cwd;
  command.output = job_->log;
  command.limit_s = job_->limit_s;
  HONE_TRY(const system::Exit exit, os_->processes->run(command));
  costs_.wall_s += exit.wall_s;
  costs_.cpu_s += exit.cpu_s;
  costs_.peak_rss_kib = std::max(costs_.peak_rss_kib, exit.peak_rss_kib);
  return exit;
}

Status Steps::run(const std::string& what, const std::vector<std::string>& argv,
                  const system::Path& cwd, const Environment& env) {
  HONE_TRY(const system::Exit exit, execute(argv, cwd, env));
  if (exit.ok()) return {};
  if (exit.limit) {
    return fail(ErrorKind::kTimeout, what + " did not end within " + format_duration(job_->limit_s),
                "see in the log how far it came; a second run goes on from there",
                job_->log.string());
  }
  HONE_TRY(const std::string log, os_->files->read(job_->log));
  FirstError first = first_error(log.substr(std::min(log_begin_, log.size())));
  // On a disk so full that the log itself could not be written, no line tells.
  const auto free = os_->files->free_bytes(job_->tree);
  if (free && *free < kFullBytes) {
    first.disk_full = true;
    if (first.text.empty()) first.text = "no space left on the disk of " + job_->tree.string();
  }
  return fail(first.disk_full ? ErrorKind::kDiskFull : ErrorKind::kBuildFailed,
              what + " failed (" + describe(exit) + ")" +
                  (first.text.empty() ? std::string() : ": " + first.text),
              first.disk_full ? "free some space and run again: it goes on from here"
                              : "read the log, mend the recipe or the source, and run again",
              job_->log.string());
}

Status Steps::try_to_run(const std::string& what, const std::vector<std::string>& argv,
                         const system::Path& cwd, const Environment& env) {
  Status status = run(what, argv, cwd, env);
  if (!status && status.error().kind != ErrorKind::kBuildFailed) return status;
  return {};
}

bool Steps::done(const std::string& step, const std::string& words) const {
  const Result<std::string> there = os_->files->read(marker(*job_, step));
  return there && *there == words + "\n";
}

Status Steps::mark(const std::string& step, const std::string& words) {
  return os_->files->write(marker(*job_, step), words + "\n");
}

Result<Built> Steps::finish(const system::Path& binary) {
  if (!os_->files->exists(binary) || os_->files->is_directory(binary)) {
    // The usual slip is the folder: name the files of that name that the build did leave.
    std::vector<std::string> there;
    for (const system::Path& file :
         os_->files->list_tree(job_->tree).value_or(std::vector<system::Path>())) {
      if (file.filename() == binary.filename()) {
        there.push_back(file.lexically_relative(job_->tree).string());
      }
    }
    return fail(ErrorKind::kBuildFailed,
                "the build went through but left no " + job_->binary + " in its tree",
                there.empty() ? "set build.target and build.binary to what the project makes"
                              : "build.binary may be meant as " + join(there, " or "),
                job_->log.string());
  }
  Built built = costs_;
  built.binary = binary;
  return built;
}

}  // namespace hone::build_systems
