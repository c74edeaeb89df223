// Children of hone. Each one runs under a supervisor (supervisor.h): whatever it starts ends with
// it, and with hone, however hone dies. Signal dispositions and environment are set, not inherited.
#pragma once

#include <sys/types.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "system/clock.h"
#include "system/descriptor.h"
#include "system/files.h"

namespace hone::system {

struct Command {
  std::vector<std::string> argv;  // argv[0] is looked up in PATH unless it has a slash
  std::map<std::string, std::string>
      env;                // on top of the base: PATH, HOME, USER, LANG=C.UTF-8, TMPDIR
  Path cwd;               // empty: hone's own
  Path output;            // stdout and stderr, appended; empty: /dev/null
  std::vector<int> cpus;  // allowed CPUs; empty: as hone was started
  std::string user;       // run as this user (needs root); empty: as hone
  double limit_s = 0;     // run() only: ended after that; 0: no limit
  // To be counted by a control group too, where one may be made: leaf_cgroup.h.
  bool own_cgroup = false;
};

struct Exit {
  int code = 0;        // exit status, when signal is 0
  int signal = 0;      // the signal that ended it, or 0
  bool limit = false;  // ended by Command::limit_s
  double wall_s = 0;
  double cpu_s = 0;       // user + system of it and all its ended descendants
  long peak_rss_kib = 0;  // of the largest single process
  bool ok() const { return code == 0 && signal == 0 && !limit; }
};
std::string describe(const Exit&);  // "exit status 1", "killed by SIGSEGV", "ended after 30 s"

// A started child. Destruction ends it and every descendant, at once (SIGKILL).
class Child {
 public:
  virtual ~Child() = default;
  virtual pid_t pid() const = 0;             // of the command itself
  virtual pid_t supervisor_pid() const = 0;  // root of the process tree to be measured, exclusive
  virtual std::optional<Exit> exited() = 0;  // does not wait
  virtual Status signal(int number) = 0;     // to the command's own process
  // Waits until the command has ended, at most until `limit`; nullopt when it still runs.
  virtual Result<std::optional<Exit>> wait(Duration limit) = 0;
  // Ends the command and all descendants and waits for that. Safe to call twice.
  virtual void end() = 0;
};

// A child and our ends of its standard input and output, neither of which waits. Where they are
// destroyed the input is closed first.
struct TalkingChild {
  std::unique_ptr<Child> child;
  Descriptor from, to;
};

class Processes {
 public:
  virtual ~Processes() = default;
  virtual Result<std::unique_ptr<Child>> start(const Command&) = 0;
  // `output` must be given, and gets standard error alone.
  virtual Result<TalkingChild> start_talking(const Command&) = 0;
  // To the end; a failing exit is a value, not an error. kToolMissing when argv[0] is not there;
  // kInterrupted when hone was told to stop meanwhile (interrupt.h).
  virtual Result<Exit> run(const Command&) = 0;
  // run(), with standard output (only) as text, bounded to 64 MiB. A failing exit is an error.
  virtual Result<std::string> capture(const Command&) = 0;
  // To members of a child's tree; the others cannot be reached by Child::signal. One that has just
  // ended is no error.
  virtual Status signal(const std::vector<pid_t>&, int number) = 0;
  // The path of a program as PATH finds it.
  virtual std::optional<Path> find_program(const std::string& name) const = 0;
};

}  // namespace hone::system
