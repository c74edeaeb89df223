#include "system/processes.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "base/text.h"
#include "base/units.h"
#include "system/cpus.h"
#include "system/interrupt.h"
#include "system/os_error.h"
#include "system/program_start.h"
#include "system/real.h"
#include "system/supervised_child.h"
#include "system/terminal.h"

namespace hone::system {
namespace {

using std::chrono::steady_clock;

// The bound that capture() promises: far above what a tool prints for hone to read, far below what
// would trouble the machine.
constexpr std::size_t kMostOutput = std::size_t{64} * 1024 * 1024;
// What of standard error is kept for an error's text: the last lines, where tools put the cause.
constexpr std::size_t kTailBytes = 4096;
constexpr std::size_t kTailLines = 5;

std::string last_lines(std::string_view text) {
  std::vector<std::string> lines = split(trim(text), '\n');
  if (lines.size() > kTailLines) lines.erase(lines.begin(), lines.end() - kTailLines);
  return join(lines, "\n");
}

// What capture() gathers while the command runs.
struct Captured {
  Pipes pipes;
  std::string out;
  std::string err;  // its end
  bool too_much = false;

  void keep_tail() {
    if (err.size() > 2 * kTailBytes) err.erase(0, err.size() - kTailBytes);
  }

  // Takes what is there, without waiting; closes a pipe that has ended.
  void read() {
    read_into(pipes.out, out);
    read_into(pipes.err, err);
    keep_tail();
  }

  void read_into(Descriptor& pipe, std::string& text) {
    std::array<char, 65536> piece;  // a pipe's capacity
    while (pipe.open() && !too_much) {
      const ssize_t got = ::read(pipe.fd(), piece.data(), piece.size());
      if (got < 0 && errno == EINTR) continue;
      if (got < 0 && errno == EAGAIN) return;
      if (got <= 0) {
        pipe.close();
        return;
      }
      text.append(piece.data(), static_cast<std::size_t>(got));
      if (&text == &err) keep_tail();
      too_much = out.size() > kMostOutput;
    }
  }
};

class RealProcesses : public Processes {
 public:
  RealProcesses() : cpus_(allowed_cpus()) {}

  Result<std::unique_ptr<Child>> start(const Command& command) override {
    return SupervisedChild::start(order_of(command), nullptr);
  }

  Result<TalkingChild> start_talking(const Command& command) override {
    if (command.output.empty()) return fail(ErrorKind::kInternal, "a talking child without a log");
    Order order = order_of(command);
    order.stdin_pipe = true;
    Pipes pipes;
    TalkingChild talking;
    HONE_TRY(talking.child, SupervisedChild::start(std::move(order), &pipes));
    talking.from = std::move(pipes.out);
    talking.to = std::move(pipes.in);
    return talking;
  }

  Result<Exit> run(const Command& command) override { return run_to_end(command, nullptr); }

  Result<std::string> capture(const Command& command) override {
    Captured captured;
    HONE_TRY(const Exit exit, run_to_end(command, &captured));
    const std::string line = shell_join(command.argv);
    if (captured.too_much)
      return fail(ErrorKind::kIo, "more than 64 MiB of output from: " + line, "let it print less");
    if (exit.ok()) return std::move(captured.out);
    const std::string tail = last_lines(
        command.output.empty() ? captured.err : real_files()->read(command.output).value_or(""));
    return fail(exit.limit ? ErrorKind::kTimeout : ErrorKind::kIo,
                "`" + line + "`: " + describe(exit) + (tail.empty() ? "" : ":\n" + tail), {},
                command.output.string());
  }

  Status signal(const std::vector<pid_t>& pids, int number) override {
    for (const pid_t pid : pids) {
      if (::kill(pid, number) == 0 || errno == ESRCH) continue;
      return fail(ErrorKind::kPermission,
                  "cannot send signal " + std::to_string(number) + " to process " +
                      std::to_string(pid) + ": " + os_message(errno),
                  "run hone as root, or as the user that the server runs as");
    }
    return {};
  }

  std::optional<Path> find_program(const std::string& name) const override {
    return find_in_path(name, environment("PATH"));
  }

 private:
  Order order_of(const Command& command) const {
    Order order;
    order.argv = command.argv;
    order.env = command.env;
    order.cwd = command.cwd.string();
    order.output = command.output.string();
    order.cpus = command.cpus.empty() ? cpus_ : command.cpus;
    order.user = command.user;
    order.own_cgroup = command.own_cgroup;
    return order;
  }

  Result<Exit> run_to_end(const Command& command, Captured* captured) {
    HONE_TRY(auto child, SupervisedChild::start(order_of(command),
                                                captured == nullptr ? nullptr : &captured->pipes));
    const auto started = steady_clock::now();
    bool over_limit = false;
    while (!child->exited()) {
      HONE_CHECK(check_interrupted());
      if (captured != nullptr) captured->read();
      if (captured != nullptr && captured->too_much) break;
      int wait_ms = -1;
      if (command.limit_s > 0) {
        const auto left = seconds(command.limit_s) - (steady_clock::now() - started);
        over_limit = left <= Duration::zero();
        if (over_limit) break;
        // Asked again at least once an hour: poll() counts in int milliseconds.
        wait_ms = static_cast<int>(
            std::min<std::int64_t>(left / std::chrono::milliseconds(1) + 1, 3'600'000));
      }
      std::array<pollfd, 4> waits = {
          pollfd{child->channel(), POLLIN, 0}, pollfd{interrupt_fd(), POLLIN, 0},
          pollfd{captured == nullptr ? -1 : captured->pipes.out.fd(), POLLIN, 0},
          pollfd{captured == nullptr ? -1 : captured->pipes.err.fd(), POLLIN, 0}};
      ::poll(waits.data(), waits.size(), wait_ms);
    }
    // All that the command itself wrote is in the pipes by now.
    if (captured != nullptr) captured->read();
    child->end();
    Exit exit = child->whole();
    exit.limit = over_limit;
    if (over_limit)
      exit.wall_s = std::chrono::duration<double>(steady_clock::now() - started).count();
    return exit;
  }

  std::vector<int> cpus_;  // that hone was started with
};

}  // namespace

std::string describe(const Exit& exit) {
  if (exit.limit) return "ended after " + format_duration(exit.wall_s);
  if (exit.signal == 0) return "exit status " + std::to_string(exit.code);
  const char* abbreviation = ::sigabbrev_np(exit.signal);
  return "killed by " + (abbreviation == nullptr ? "signal " + std::to_string(exit.signal)
                                                 : "SIG" + std::string(abbreviation));
}

std::unique_ptr<Processes> real_processes() { return std::make_unique<RealProcesses>(); }

}  // namespace hone::system
