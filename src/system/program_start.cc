// Nothing that could change a measurement or a build is inherited from how hone was started: signal
// dispositions (a shell's background job ignores SIGINT and SIGQUIT), environment, timer slack
// (hone switches its own off), CPUs (hone pins its own threads), descriptors. The session is
// inherited, on purpose: a new one is a new scheduling group, where hone's SCHED_IDLE spinner is
// not weak.
#include "system/program_start.h"

#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <vector>

#include "base/text.h"
#include "system/cpus.h"
#include "system/os_error.h"
#include "system/terminal.h"

namespace hone::system {
namespace {

constexpr int kMostGroups = 65536;  // NGROUPS_MAX of Linux: no user is in more

struct User {
  std::string name;
  std::string home;
  uid_t uid = 0;
  gid_t gid = 0;
};

Result<std::optional<User>> user_of(const Order& order) {
  std::array<char, 16384> buffer{};  // glibc's own entries fit in 1 KiB
  struct passwd entry{};
  struct passwd* found = nullptr;
  if (order.user.empty()) {
    ::getpwuid_r(::geteuid(), &entry, buffer.data(), buffer.size(), &found);
    if (found == nullptr) return std::nullopt;  // a container's user without an entry
  } else {
    ::getpwnam_r(order.user.c_str(), &entry, buffer.data(), buffer.size(), &found);
    if (found == nullptr)
      return fail(ErrorKind::kUsage, "there is no user " + order.user + " on this machine",
                  "create it, or name another user");
    if (::geteuid() != 0 && found->pw_uid != ::geteuid())
      return fail(ErrorKind::kPermission, user_name() + " cannot start a program as " + order.user,
                  "run hone as root, or leave the user out");
  }
  return User{found->pw_name, found->pw_dir, found->pw_uid, found->pw_gid};
}

std::map<std::string, std::string> environment_of(const Order& order,
                                                  const std::optional<User>& user) {
  std::map<std::string, std::string> env;
  const std::string path = environment("PATH");
  // What Debian gives to a login without any configuration.
  env["PATH"] =
      path.empty() ? "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin" : path;
  env["LANG"] = "C.UTF-8";
  if (user) env["USER"] = env["LOGNAME"] = user->name;
  // hone's own HOME holds unless the command runs as somebody else: toolchains may be kept there.
  const std::string home = environment("HOME");
  if (order.user.empty() && !home.empty()) {
    env["HOME"] = home;
  } else if (user) {
    env["HOME"] = user->home;
  }
  if (const std::string tmpdir = environment("TMPDIR"); !tmpdir.empty()) env["TMPDIR"] = tmpdir;
  for (const auto& [name, value] : order.env) env[name] = value;
  return env;
}

void reset_signals() {
  // The kernel's own form of sigaction (handler, flags, restorer, mask), all zero: the default. The
  // C library's refuses its two internal signals, 32 and 33, which its posix_spawn leaves ignored.
  static constexpr std::array<unsigned long, 4> kDefault{};
  static constexpr std::size_t kMaskBytes = 8;  // 64 signals
  for (int number = 1; number < NSIG; ++number)
    ::syscall(SYS_rt_sigaction, number, kDefault.data(), nullptr, kMaskBytes);
  sigset_t none;
  ::sigemptyset(&none);
  ::pthread_sigmask(SIG_SETMASK, &none, nullptr);
}

Status connect_streams(const Order& order) {
  const int null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  if (null < 0) return os_fail(errno, "open", "/dev/null");
  int output = null;
  if (!order.output.empty()) {
    output =
        ::open(order.output.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_NOCTTY | O_CLOEXEC, 0644);
    if (output < 0) return os_fail(errno, "write", order.output);
  }
  if (::dup2(order.stdin_pipe ? kStdinFd : null, STDIN_FILENO) < 0 ||
      ::dup2(order.stdout_pipe ? kStdoutFd : output, STDOUT_FILENO) < 0 ||
      ::dup2(order.stderr_pipe ? kStderrFd : output, STDERR_FILENO) < 0)
    return os_fail(errno, "connect the output to", order.output);
  // Closed by exec, not now: the way back for an error must stay open until then.
  if (::close_range(STDERR_FILENO + 1, ~0U, CLOSE_RANGE_CLOEXEC) != 0)
    return os_fail(errno, "close the descriptors of", order.argv.front());
  return {};
}

// By the system calls themselves: libc's functions signal every thread that it believes there is,
// and after a fork that may be one of the parent's, or of a sanitizer's.
Status become_user(const User& user) {
  std::vector<gid_t> groups(kMostGroups);
  int count = kMostGroups;
  ::getgrouplist(user.name.c_str(), user.gid, groups.data(), &count);
  if (::syscall(SYS_setgroups, std::min(count, kMostGroups), groups.data()) != 0 ||
      ::syscall(SYS_setresgid, user.gid, user.gid, user.gid) != 0 ||
      ::syscall(SYS_setresuid, user.uid, user.uid, user.uid) != 0)
    return os_fail(errno, "start as " + user.name + ":", user.home);
  return {};
}

Status die_with(pid_t supervisor) {
  if (::prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) return os_fail(errno, "watch", "the supervisor");
  // The supervisor may have died before the line above: then nobody sends the signal.
  if (::getppid() != supervisor)
    return fail(ErrorKind::kInternal, "the supervisor has ended while it started the command");
  return {};
}

bool is_program(const Path& path) {
  struct stat status{};
  return ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) &&
         ::access(path.c_str(), X_OK) == 0;
}

Error cannot_execute(const std::string& program, int error) {
  struct stat status{};
  if (error == ENOENT && ::stat(program.c_str(), &status) == 0)
    return Error{ErrorKind::kToolMissing,
                 "cannot start " + program + ": the interpreter or loader that it names is missing",
                 {},
                 "install the interpreter named in its first line",
                 {}};
  if (error == ENOENT || error == ENOTDIR)
    return Error{ErrorKind::kToolMissing,
                 "there is no program " + program,
                 {},
                 "install it, or correct its path",
                 {}};
  if (error == ENOEXEC)
    return Error{ErrorKind::kIo,
                 "cannot start " + program + ": not a program for this machine",
                 {},
                 "build it for this machine; a script needs a first line such as #!/bin/sh",
                 {}};
  if (error == E2BIG)
    return Error{
        ErrorKind::kIo, "cannot start " + program + ": its arguments are too long", {}, {}, {}};
  return os_fail(error, "start", program).value();
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> result;
  result.reserve(texts.size() + 1);
  for (std::string& text : texts) result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

// Everything but the exec itself; the result is the environment.
Result<std::map<std::string, std::string>> prepare(const Order& order, pid_t supervisor) {
  reset_signals();
  // A group of its own: a command that signals its whole group must not hit the supervisor.
  ::setpgid(0, 0);
  // The kernel's default for a fresh process: 50 us.
  ::prctl(PR_SET_TIMERSLACK, 50'000);
  HONE_CHECK(pin_this_thread(order.cpus));
  HONE_TRY(const std::optional<User> user, user_of(order));
  HONE_CHECK(connect_streams(order));  // as the user hone runs as
  if (!order.user.empty() && user && ::geteuid() == 0) HONE_CHECK(become_user(*user));
  if (!order.cwd.empty() && ::chdir(order.cwd.c_str()) != 0)
    return os_fail(errno, "enter the folder", order.cwd);
  // After the change of user, which would clear it.
  HONE_CHECK(die_with(supervisor));
  return environment_of(order, user);
}

}  // namespace

std::optional<Path> find_in_path(const std::string& name, const std::string& path) {
  if (name.empty()) return std::nullopt;
  if (name.find('/') != std::string::npos)
    return is_program(name) ? std::optional<Path>(name) : std::nullopt;
  for (const std::string& folder : split(path, ':')) {
    // An empty entry means the current folder.
    Path candidate = (folder.empty() ? Path(".") : Path(folder)) / name;
    if (is_program(candidate)) return candidate;
  }
  return std::nullopt;
}

Error become(const Order& order, pid_t supervisor) {
  if (order.argv.empty()) return Error{ErrorKind::kInternal, "a command without words", {}, {}, {}};
  auto env = prepare(order, supervisor);
  if (!env) return env.error();
  std::string program = order.argv.front();
  if (program.find('/') == std::string::npos) {
    const auto found = find_in_path(program, (*env)["PATH"]);
    if (!found)
      return Error{ErrorKind::kToolMissing,
                   program + " is not in PATH (" + (*env)["PATH"] + ")",
                   {},
                   "install " + program + ", or give its full path",
                   {}};
    program = found->string();
  }
  std::vector<std::string> argv = order.argv;
  std::vector<std::string> settings;
  for (const auto& [name, value] : *env)
    settings.push_back(std::string(name).append("=").append(value));
  ::execve(program.c_str(), pointers(argv).data(), pointers(settings).data());
  return cannot_execute(program, errno);
}

}  // namespace hone::system
