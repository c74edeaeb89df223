// hone has threads, so between fork and exec nothing may be done but system calls: posix_spawn does
// the little that is needed, and the supervisor, which has one thread, does the rest.
#include "system/supervised_child.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>

#include "system/interrupt.h"
#include "system/os_error.h"

extern "C" char** environ;  // NOLINT(readability-redundant-declaration): POSIX leaves it to us

namespace hone::system {
namespace {

using std::chrono::steady_clock;

// Forking and executing takes milliseconds; a machine that needs this long is out of memory.
constexpr auto kStartLimit = std::chrono::seconds(30);
// How long the supervisor may take to end all descendants before it is killed itself. What has a
// SIGKILL pending then hangs in the kernel and ends when the kernel lets it.
constexpr auto kEndLimit = std::chrono::seconds(10);

int poll_ms(steady_clock::time_point until) {
  const auto left =
      std::chrono::ceil<std::chrono::milliseconds>(until - steady_clock::now()).count();
  return static_cast<int>(std::clamp<std::int64_t>(left, 0, 3'600'000));  // int; callers ask again
}

// A duration as far as a clock reaches: "for ever" must not overflow.
steady_clock::time_point after(Duration limit) {
  const auto now = steady_clock::now();
  return limit > steady_clock::time_point::max() - now ? steady_clock::time_point::max()
                                                       : now + limit;
}

struct Pair {
  Descriptor ours;
  Descriptor
      theirs;  // above the fixed descriptors, so that putting them in place collides with none
};

constexpr int kFirstFree = kStdinFd + 1;

enum class Way { kBoth, kToUs, kToThem };

Result<Pair> make_pair(Way way) {
  std::array<int, 2> ends{};
  const bool socket = way == Way::kBoth;
  const int made = socket ? ::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data())
                          : ::pipe2(ends.data(), O_CLOEXEC);
  if (made != 0) return os_fail(errno, "open", "a pipe to a child");
  if (way == Way::kToThem) std::swap(ends[0], ends[1]);  // a pipe's first end is for reading
  Pair pair{Descriptor(ends[0]), Descriptor(ends[1])};
  Descriptor high(::fcntl(pair.theirs.fd(), F_DUPFD_CLOEXEC, kFirstFree));
  if (!high.open()) return os_fail(errno, "open", "a pipe to a child");
  pair.theirs = std::move(high);
  if (socket) {
    // An order may be larger than a socket holds; sending it waits for the supervisor, with a
    // limit.
    const timeval limit{kStartLimit.count(), 0};
    ::setsockopt(pair.ours.fd(), SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
  } else {
    ::fcntl(pair.ours.fd(), F_SETFL, O_NONBLOCK);
  }
  return pair;
}

// posix_spawn's two option objects, freed together.
class SpawnOptions {
 public:
  SpawnOptions() {
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawnattr_init(&attributes);
    sigset_t all;
    ::sigfillset(&all);
    // All signals default and blocked: a Ctrl-C that falls between the start and the supervisor's
    // first line must not end it. The group of its own is for the same reason.
    ::posix_spawnattr_setsigmask(&attributes, &all);
    ::posix_spawnattr_setsigdefault(&attributes, &all);
    ::posix_spawnattr_setpgroup(&attributes, 0);
    ::posix_spawnattr_setflags(
        &attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
  }
  ~SpawnOptions() {
    ::posix_spawn_file_actions_destroy(&actions);
    ::posix_spawnattr_destroy(&attributes);
  }
  SpawnOptions(const SpawnOptions&) = delete;
  SpawnOptions& operator=(const SpawnOptions&) = delete;

  // Standard error stays hone's: what a sanitizer says about the supervisor must be seen.
  void place(int channel, int in, int out, int err) {
    ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    ::posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    ::posix_spawn_file_actions_adddup2(&actions, channel, kChannelFd);
    put(in, kStdinFd);
    put(out, kStdoutFd);
    put(err, kStderrFd);
  }

  posix_spawn_file_actions_t actions{};
  posix_spawnattr_t attributes{};

 private:
  void put(int fd, int place) {
    if (fd >= 0) {
      ::posix_spawn_file_actions_adddup2(&actions, fd, place);
    } else {
      ::posix_spawn_file_actions_addclose(&actions, place);
    }
  }
};

Exit exit_from(const Ending& ending) {
  Exit result;
  if (WIFSIGNALED(ending.status)) {
    result.signal = WTERMSIG(ending.status);
  } else {
    result.code = WEXITSTATUS(ending.status);
  }
  result.wall_s = ending.wall_s;
  result.cpu_s = ending.cpu_s;
  result.peak_rss_kib = ending.peak_rss_kib;
  return result;
}

}  // namespace

Result<std::unique_ptr<SupervisedChild>> SupervisedChild::start(Order order, Pipes* pipes) {
  if (order.argv.empty()) return fail(ErrorKind::kInternal, "a command without words");
  HONE_CHECK(check_interrupted());
  std::unique_ptr<SupervisedChild> child(new SupervisedChild);
  order.stdout_pipe = pipes != nullptr;
  order.stderr_pipe = pipes != nullptr && order.output.empty();
  HONE_CHECK(child->spawn(order, pipes));
  HONE_CHECK(child->await_start(order.argv.front()));
  return child;
}

SupervisedChild::~SupervisedChild() { end(); }

Status SupervisedChild::spawn(const Order& order, Pipes* pipes) {
  HONE_TRY(Pair channel, make_pair(Way::kBoth));
  Pair in;
  Pair out;
  Pair err;
  if (order.stdin_pipe) {
    HONE_TRY(in, make_pair(Way::kToThem));
  }
  if (order.stdout_pipe) {
    HONE_TRY(out, make_pair(Way::kToUs));
  }
  if (order.stderr_pipe) {
    HONE_TRY(err, make_pair(Way::kToUs));
  }
  SpawnOptions options;
  options.place(channel.theirs.fd(), in.theirs.fd(), out.theirs.fd(), err.theirs.fd());
  // The link and not the path that it names: it works after the file was replaced by a new build.
  std::string name = "hone";
  std::string verb = "supervise";
  std::array<char*, 3> argv = {name.data(), verb.data(), nullptr};
  const int error = ::posix_spawn(&supervisor_, "/proc/self/exe", &options.actions,
                                  &options.attributes, argv.data(), environ);
  if (error != 0) {
    supervisor_ = 0;
    return os_fail(error, "start the supervisor of", order.argv.front());
  }
  channel_ = std::move(channel.ours);
  if (pipes != nullptr) {
    pipes->in = std::move(in.ours);
    pipes->out = std::move(out.ours);
    pipes->err = std::move(err.ours);
  }
  send_all(channel_.fd(), to_line(order));  // a dead supervisor shows in await_start()
  return {};
}

Status SupervisedChild::await_start(const std::string& program) {
  const auto limit = steady_clock::now() + kStartLimit;
  while (true) {
    read_reports();
    if (error_) return tl::make_unexpected(*error_);
    if (command_ > 0) return {};
    if (channel_ended_)
      return fail(ErrorKind::kInternal, "the supervisor of " + program + " ended without a word",
                  "please report this, with the system's log: it may have been killed");
    HONE_CHECK(check_interrupted());
    if (steady_clock::now() >= limit)
      return fail(ErrorKind::kTimeout, program + " could not be started within 30 s",
                  "look for a machine without free memory, or a disk that does not answer");
    std::array<pollfd, 2> waits = {pollfd{channel_.fd(), POLLIN, 0},
                                   pollfd{interrupt_fd(), POLLIN, 0}};
    ::poll(waits.data(), waits.size(), poll_ms(limit));
  }
}

// Takes all reports that have arrived, without waiting.
void SupervisedChild::read_reports() {
  std::array<char, 4096> piece;
  while (!channel_ended_) {
    const ssize_t got = ::recv(channel_.fd(), piece.data(), piece.size(), MSG_DONTWAIT);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) break;
    if (got <= 0) {
      channel_ended_ = true;
      break;
    }
    reports_.add(std::string_view(piece.data(), static_cast<std::size_t>(got)));
  }
  while (const auto line = reports_.next())
    if (const auto report = parse_json(*line, "the supervisor's report")) take_report(*report);
  // A supervisor that was killed took the command with it (PR_SET_PDEATHSIG).
  if (channel_ended_ && command_ > 0 && !exit_) {
    exit_ = Exit{};
    exit_->signal = SIGKILL;
  }
}

void SupervisedChild::take_report(const Json& report) {
  if (report.contains("pid")) command_ = value_from<pid_t>(report["pid"], "pid").value_or(0);
  if (report.contains("error")) error_ = error_from(report["error"]);
  if (report.contains("exit"))
    if (const auto ending = value_from<Ending>(report["exit"], "exit")) exit_ = exit_from(*ending);
  if (report.contains("ended"))
    if (const auto ending = value_from<Ending>(report["ended"], "ended")) ended_ = *ending;
}

std::optional<Exit> SupervisedChild::exited() {
  read_reports();
  return exit_;
}

Status SupervisedChild::signal(int number) {
  const auto result = exited();
  // Sent by the supervisor, the command's parent: it alone knows that the pid is still the
  // command's.
  if (!result && send_all(channel_.fd(), to_line("signal", number))) return {};
  return fail(ErrorKind::kSubjectDied,
              "process " + std::to_string(command_) +
                  " cannot be signalled, it has ended: " + describe(exited().value_or(Exit{})));
}

Result<std::optional<Exit>> SupervisedChild::wait(Duration limit) {
  const auto until = after(limit);
  while (true) {
    read_reports();
    if (exit_) return exit_;
    if (steady_clock::now() >= until) return std::nullopt;
    HONE_CHECK(check_interrupted());
    std::array<pollfd, 2> waits = {pollfd{channel_.fd(), POLLIN, 0},
                                   pollfd{interrupt_fd(), POLLIN, 0}};
    ::poll(waits.data(), waits.size(), poll_ms(until));
  }
}

void SupervisedChild::end() {
  if (supervisor_ == 0 || reaped_) return;
  if (channel_.open()) ::shutdown(channel_.fd(), SHUT_WR);
  const auto limit = steady_clock::now() + kEndLimit;
  while (channel_.open() && steady_clock::now() < limit) {
    read_reports();
    if (channel_ended_) break;
    pollfd wait{channel_.fd(), POLLIN, 0};
    ::poll(&wait, 1, poll_ms(limit));
  }
  if (!channel_ended_) ::kill(supervisor_, SIGKILL);
  reap_supervisor();
  if (command_ > 0) read_reports();
}

void SupervisedChild::reap_supervisor() {
  // It has closed its channel or was killed, so this takes a moment; should it hang in the kernel,
  // it is left there. By number: glibc 2.36 declares pidfd_open() without C linkage.
  const Descriptor process(static_cast<int>(::syscall(SYS_pidfd_open, supervisor_, 0)));
  const auto limit = steady_clock::now() + kEndLimit;
  while (::waitpid(supervisor_, nullptr, WNOHANG) == 0 && steady_clock::now() < limit) {
    pollfd wait{process.fd(), POLLIN, 0};
    // Without a descriptor (an old kernel, a sandbox) this asks again every millisecond.
    ::poll(&wait, 1, process.open() ? poll_ms(limit) : 1);
  }
  reaped_ = true;
  channel_ended_ = true;
}

Exit SupervisedChild::whole() const {
  Exit result = exit_.value_or(Exit{});
  if (ended_) {
    result.cpu_s = ended_->cpu_s;
    result.peak_rss_kib = ended_->peak_rss_kib;
  }
  return result;
}

}  // namespace hone::system
