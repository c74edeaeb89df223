// For the tests of the flush library: a real process of one of its programs, told what to do.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "flush/instrumented_programs.h"

namespace hone::flush {

// One process of a test program, spoken to over pipes.
class Server {
 public:
  Server(const fs::path& program, const fs::path& folder, bool preload) {
    int in[2], out[2];
    if (pipe2(in, O_CLOEXEC) != 0 || pipe2(out, O_CLOEXEC) != 0) abort();
    pid_ = fork();
    if (pid_ == 0) {
      dup2(in[0], STDIN_FILENO);
      dup2(out[1], STDOUT_FILENO);
      dup2(open("/dev/null", O_WRONLY | O_CLOEXEC), STDERR_FILENO);  // the runtime's own complaints
      for (const int number : {SIGINT, SIGQUIT, SIGHUP, SIGPIPE}) signal(number, SIG_DFL);
      if (chdir(folder.c_str()) != 0) _exit(97);
      const std::string dir = "HONE_FLUSH_DIR=" + folder.string();
      const std::string library = std::string("LD_PRELOAD=") + HONE_FLUSH_LIBRARY;
      const char* without[] = {"PATH=/usr/bin:/bin", nullptr};
      const char* with[] = {"PATH=/usr/bin:/bin", dir.c_str(), library.c_str(), nullptr};
      const char* still[] = {"PATH=/usr/bin:/bin", dir.c_str(), nullptr};
      const bool is_static = program == programs().still;
      const char* arguments[] = {program.c_str(), nullptr};
      const char** env = is_static ? still : preload ? with : without;
      execve(program.c_str(), const_cast<char**>(arguments), const_cast<char**>(env));
      _exit(96);
    }
    close(in[0]);
    close(out[1]);
    to_ = in[1];
    from_ = out[0];
  }

  ~Server() {
    close(to_);
    close(from_);
    if (pid_ > 0) {
      kill(pid_, SIGKILL);
      waitpid(pid_, nullptr, 0);
    }
  }

  pid_t pid() const { return pid_; }

  void say(const std::string& command) {
    const std::string line = command + "\n";
    ASSERT_EQ(write(to_, line.data(), line.size()), static_cast<ssize_t>(line.size()));
  }

  // The answer to a command; "" when the process ended or the limit was met.
  std::string ask(const std::string& command) {
    say(command);
    std::string text;
    char byte = 0;
    for (;;) {
      pollfd waiting{from_, POLLIN, 0};
      if (poll(&waiting, 1, static_cast<int>(kLimit.count() * 1000)) != 1) return {};
      if (read(from_, &byte, 1) != 1) return {};
      if (byte == '\n') return text;
      text += byte;
    }
  }

  // "exit 3", "signal 15" or "running".
  std::string ended() {
    int status = 0;
    if (!eventually([&] { return waitpid(pid_, &status, WNOHANG) == pid_; })) return "running";
    pid_ = -1;
    return WIFEXITED(status) ? "exit " + std::to_string(WEXITSTATUS(status))
                             : "signal " + std::to_string(WTERMSIG(status));
  }

 private:
  pid_t pid_ = -1;
  int to_ = -1;
  int from_ = -1;
};

}  // namespace hone::flush
