// Why a process between hone and its child, and not PR_SET_PDEATHSIG, a process group or a cgroup:
// the death signal reaches the direct child only, and a server's workers survive it; a daemon
// leaves its group; and cgroups that may be written are the exception. A subreaper sees every
// descendant whatever it does, needs no right, and its open socket tells it of hone's death by any
// means.
//
// Where a control group may be made (for a server that is measured) it is made, killed as a whole
// where the kernel can, and taken away here.
//
// It blocks all signals for its whole life: Ctrl-C in the terminal must not stop it from doing its
// work, and it reads SIGCHLD from a descriptor.
#include "system/supervisor.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

#include "system/descriptor.h"
#include "system/leaf_cgroup.h"
#include "system/proc.h"
#include "system/program_start.h"
#include "system/supervision.h"

namespace hone::system {
namespace {

using std::chrono::steady_clock;

// A process that a SIGKILL does not end within this time hangs in the kernel (a dead network disk).
// The signal stays pending for it, so waiting longer would add nothing.
constexpr auto kKillLimit = std::chrono::seconds(60);
// A process that was killed is gone in less than this; the wait in between only saves CPU.
constexpr int kKillPollMs = 5;

double seconds_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

class Supervisor {
 public:
  int run();

 private:
  bool read_order();
  bool start();
  void make_cgroup();
  void serve();
  bool take_messages();
  bool read_channel();
  void reap();
  void end_everything();
  void drain_child_signal() const;
  Ending ending(int status) const;

  Descriptor children_;  // signalfd for SIGCHLD
  LineBuffer messages_;
  Order order_;
  std::optional<LeafCgroup> cgroup_;
  pid_t command_ = 0;  // 0 once it has been waited for
  bool no_children_ = false;
  steady_clock::time_point started_;
};

int Supervisor::run() {
  sigset_t all;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, nullptr);
  ::setpgid(0, 0);  // out of reach of the terminal's Ctrl-C; not setsid(), see program_start.cc
  ::prctl(PR_SET_NAME, "hone-supervise");
  // What hone itself was given by a careless parent (a terminal, a build's job server) would stay
  // open as long as this process.
  ::close_range(kStdinFd + 1, ~0U, 0);
  if (::prctl(PR_SET_CHILD_SUBREAPER, 1) != 0) return EXIT_FAILURE;
  sigset_t child;
  ::sigemptyset(&child);
  ::sigaddset(&child, SIGCHLD);
  children_ = Descriptor(::signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK));
  if (!children_.open() || !read_order()) return EXIT_FAILURE;
  if (start()) serve();
  end_everything();
  return EXIT_SUCCESS;
}

// More bytes from hone; false when it has closed its end or died.
bool Supervisor::read_channel() {
  std::array<char, 4096> piece;
  while (true) {
    const ssize_t got = ::recv(kChannelFd, piece.data(), piece.size(), 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    messages_.add(std::string_view(piece.data(), static_cast<std::size_t>(got)));
    return true;
  }
}

bool Supervisor::read_order() {
  while (true) {
    if (const auto line = messages_.next()) {
      auto order = order_from(*line);
      if (!order) {
        send_all(kChannelFd, to_line(order.error()));
        return false;
      }
      order_ = *std::move(order);
      return true;
    }
    if (!read_channel()) return false;
  }
}

// Without one the command is counted by its processes alone.
void Supervisor::make_cgroup() {
  if (!order_.own_cgroup) return;
  const auto group = own_counting_group();
  if (!group) return;
  cgroup_.emplace(*group, ::getpid());
  if (!cgroup_->make()) cgroup_.reset();
}

// Starts the command and tells hone its pid, or why it cannot be started. An error comes back
// through a pipe that a successful exec closes.
bool Supervisor::start() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return false;
  Descriptor trouble(ends[0]);
  Descriptor trouble_of_child(ends[1]);
  const pid_t self = ::getpid();
  make_cgroup();
  started_ = steady_clock::now();
  command_ = ::fork();
  if (command_ < 0) {
    send_all(kChannelFd, to_line(Error{ErrorKind::kIo,
                                       "cannot start another process",
                                       {},
                                       "raise the limit of processes (ulimit -u), or free memory",
                                       {}}));
    return false;
  }
  if (command_ == 0) {
    if (cgroup_) cgroup_->enter();
    const std::string line = to_line(become(order_, self));
    [[maybe_unused]] const ssize_t written =
        ::write(trouble_of_child.fd(), line.data(), line.size());
    ::_exit(127);
  }
  trouble_of_child.close();
  // The command has its copies; the pipes must end when it ends.
  if (order_.stdout_pipe) ::close(kStdoutFd);
  if (order_.stderr_pipe) ::close(kStderrFd);
  if (order_.stdin_pipe) ::close(kStdinFd);
  std::string line;
  std::array<char, 1024> piece;
  while (true) {
    // hone may be ended while the command is being started (its output file on a dead disk).
    std::array<pollfd, 2> waits = {pollfd{trouble.fd(), POLLIN, 0},
                                   pollfd{kChannelFd, POLLRDHUP, 0}};
    if (::poll(waits.data(), waits.size(), -1) < 0) continue;
    if (waits[0].revents == 0) return false;
    const ssize_t got = ::read(trouble.fd(), piece.data(), piece.size());
    if (got <= 0) break;
    line.append(piece.data(), static_cast<std::size_t>(got));
  }
  if (!line.empty()) {
    send_all(kChannelFd, line);
    return false;
  }
  return send_all(kChannelFd, to_line("pid", command_));
}

// Until hone closes its end.
void Supervisor::serve() {
  while (true) {
    std::array<pollfd, 2> waits = {pollfd{kChannelFd, POLLIN, 0},
                                   pollfd{children_.fd(), POLLIN, 0}};
    if (::poll(waits.data(), waits.size(), -1) < 0) continue;
    if (waits[1].revents != 0) {
      drain_child_signal();
      reap();
    }
    if (waits[0].revents != 0 && !take_messages()) return;
  }
}

bool Supervisor::take_messages() {
  if (!read_channel()) return false;
  while (const auto line = messages_.next()) {
    const auto json = parse_json(*line, "a message");
    if (!json || !json->is_object()) continue;
    const int number = json->value("signal", 0);
    // Only while the pid is still the command's: not waited for yet, so not given away.
    if (number > 0 && command_ > 0) ::kill(command_, number);
  }
  return true;
}

void Supervisor::drain_child_signal() const {
  signalfd_siginfo info{};
  while (::read(children_.fd(), &info, sizeof info) == sizeof info) {
  }
}

// Waits for every child that has ended: the command, and orphans that fell to this subreaper.
void Supervisor::reap() {
  while (true) {
    int status = 0;
    const pid_t pid = ::waitpid(-1, &status, WNOHANG);
    if (pid < 0 && errno == EINTR) continue;
    no_children_ = pid < 0;
    if (pid <= 0) return;
    if (pid == command_) {
      command_ = 0;
      send_all(kChannelFd, to_line("exit", Json(ending(status))));
    }
  }
}

Ending Supervisor::ending(int status) const {
  rusage usage{};
  ::getrusage(RUSAGE_CHILDREN, &usage);
  return Ending{status, std::chrono::duration<double>(steady_clock::now() - started_).count(),
                seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime), usage.ru_maxrss};
}

// Kills all descendants until there are none. One pass is not enough: a master may start a worker
// while its other workers are being killed.
void Supervisor::end_everything() {
  const auto limit = steady_clock::now() + kKillLimit;
  while (steady_clock::now() < limit) {
    reap();
    if (no_children_) break;
    if (cgroup_) cgroup_->kill();
    // A pid from this scan cannot belong to somebody else by now: the kernel goes through all other
    // pids first.
    for (const ProcStat& process : descendants(all_processes(), ::getpid()))
      if (process.state != 'Z') ::kill(process.pid, SIGKILL);
    pollfd wait{children_.fd(), POLLIN, 0};
    ::poll(&wait, 1, kKillPollMs);
    drain_child_signal();
  }
  if (cgroup_) cgroup_->remove();
  send_all(kChannelFd, to_line("ended", Json(ending(0))));
}

bool is_socket(int fd) {
  struct stat status{};
  return ::fstat(fd, &status) == 0 && S_ISSOCK(status.st_mode);
}

}  // namespace

int supervise_if_asked(int argc, char** argv) {
  if (argc != 2 || std::string_view(argv[1]) != "supervise" || !is_socket(kChannelFd)) return -1;
  return Supervisor().run();
}

}  // namespace hone::system
