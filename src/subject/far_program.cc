#include "subject/far_program.h"

#include "base/text.h"
#include "system/terminal.h"

namespace hone::subject {
namespace {

// Whoever lost its other end is gone by then; what still runs is not waited for.
constexpr auto kEndLimit = std::chrono::seconds(1);

// Of the log, in an error: ssh and shells say in one line why they refuse.
constexpr std::size_t kLastLines = 3;

// POSIX, Shell Command Language 2.8.2: the command is not found.
constexpr int kNoSuchCommand = 127;

std::string last_words(const system::Path& log, const system::Files& files) {
  std::vector<std::string> lines = split(trim(files.read(log).value_or("")), '\n');
  if (lines.size() > kLastLines) lines.erase(lines.begin(), lines.end() - kLastLines);
  for (std::string& line : lines) line = trim(line);
  return join(lines, "; ");
}

}  // namespace

Result<FarProgram> FarProgram::start(const FarHost& host, const std::vector<std::string>& arguments,
                                     const std::vector<int>& cpus, const system::Path& log,
                                     system::System& system) {
  system::Command command;
  command.argv = host.via;
  command.argv.push_back(host.hone);
  command.argv.insert(command.argv.end(), arguments.begin(), arguments.end());
  command.cpus = cpus;
  command.output = log;
  // ssh asks the agent for keys.
  if (const std::string agent = system::environment("SSH_AUTH_SOCK"); !agent.empty()) {
    command.env["SSH_AUTH_SOCK"] = agent;
  }
  FarProgram program;
  program.command_ = shell_join(command.argv);
  program.log_ = log;
  program.files_ = system.files.get();
  HONE_CHECK(system.files->make_directories(log.parent_path()));
  HONE_CHECK(system.files->remove_all(log));
  HONE_TRY(program.talking_, system.processes->start_talking(command));
  return program;
}

Error FarProgram::explain(Error error) const {
  if (error.kind != ErrorKind::kFarHost) return error;
  error.log_file = log_.string();
  const auto ended = talking_.child->wait(kEndLimit);
  if (!ended) return ended.error();  // Ctrl-C
  if (!*ended) {
    error.what = "`" + command_ + "` no longer answers: " + error.what;
    return error;
  }
  const system::Exit& exit = **ended;
  const std::string words = last_words(log_, *files_);
  error.what =
      "`" + command_ + "` ended: " + describe(exit) + (words.empty() ? "" : " (" + words + ")");
  if (exit.code == kNoSuchCommand) {
    error.kind = ErrorKind::kToolMissing;
    error.next = "install hone on that host, or name its place there (load_hone, origin_hone)";
  } else {
    error.next =
        "run the command by hand: it must start without a question; where the way was cut in the "
        "middle, run the same again, finished work is kept";
  }
  return error;
}

}  // namespace hone::subject
