// For the tests of the flush library: programs built with clang's -fprofile-generate, real
// processes of them that are told what to do, and what llvm-profdata reads afterwards.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <regex>
#include <string>
#include <thread>
#include <vector>

#include "flush/flush.h"

namespace hone::flush {

namespace fs = std::filesystem;

constexpr auto kLimit = std::chrono::seconds(20);  // of every wait; a test that meets it has failed

inline std::string read_text(const fs::path& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

inline std::string output_of(const std::string& command) {
  FILE* pipe = popen(command.c_str(), "r");
  std::string text;
  char buffer[4096];
  for (std::size_t n = 0; (n = fread(buffer, 1, sizeof(buffer), pipe)) > 0;) text.append(buffer, n);
  pclose(pipe);
  return text;
}

inline bool run(const std::string& command) {
  const std::string quiet = " >/tmp/hone-flush-test-log." + std::to_string(getpid()) + " 2>&1";
  return std::system((command + quiet).c_str()) == 0;
}

template <typename Condition>
bool eventually(Condition condition) {
  const auto end = std::chrono::steady_clock::now() + kLimit;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return true;
}

// The programs, built once.
struct Programs {
  fs::path folder;
  fs::path server, stripped, collected, plain, still, plugin;
  bool built = false;
};

inline const Programs& programs() {
  static const Programs once = [] {
    Programs p;
    char name[] = "/tmp/hone-flush-test-XXXXXX";
    p.folder = mkdtemp(name);
    const std::string source = std::string(HONE_TEST_SERVERS) + "/";
    const std::string compile = "clang-22 -O1 -fprofile-generate -fprofile-update=atomic ";
    p.server = p.folder / "server";
    p.stripped = p.folder / "stripped";
    p.collected = p.folder / "collected";
    p.plain = p.folder / "plain";
    p.still = p.folder / "static";
    p.plugin = p.folder / "plugin.so";
    const std::string archive = HONE_FLUSH_ARCHIVE;
    p.built =
        run(compile + source + "commanded.c -o " + p.server.string()) &&
        run("cp " + p.server.string() + " " + p.stripped.string()) &&
        run("strip " + p.stripped.string()) &&
        run(compile + "-Wl,--gc-sections " + source + "commanded.c -o " + p.collected.string()) &&
        run("clang-22 -O1 " + source + "commanded.c -o " + p.plain.string()) &&
        run(compile + "-static -w " + source + "commanded.c -o " + p.still.string() +
            " -Wl,--whole-archive " + archive + " -Wl,--no-whole-archive @" +
            fs::path(archive).replace_extension(".wrap").string()) &&
        run(compile + "-fPIC -shared " + source + "plugin.c -o " + p.plugin.string());
    return p;
  }();
  return once;
}

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

class FlushTest : public testing::Test {
 protected:
  void SetUp() override {
    if (std::system("clang-22 --version >/dev/null 2>&1") != 0) {
      GTEST_SKIP() << "clang-22 is not installed: nothing to build instrumented servers with";
    }
    ASSERT_TRUE(programs().built);
    signal(SIGPIPE, SIG_IGN);  // a server that ended is a failed answer, not the test's end
    char name[] = "/tmp/hone-flush-test-XXXXXX";
    folder_ = mkdtemp(name);
    chmod(folder_.c_str(), 01777);
  }

  void TearDown() override { fs::remove_all(folder_); }

  Server start(const fs::path& program) { return Server(program, folder_, true); }
  Server start() { return start(programs().server); }
  Server start_unprotected() { return Server(programs().server, folder_, false); }

  std::string marker(pid_t pid, const std::string& suffix) const {
    return read_text(folder_ / (std::to_string(pid) + suffix));
  }
  bool has(pid_t pid, const std::string& suffix) const {
    return fs::exists(folder_ / (std::to_string(pid) + suffix));
  }

  // Profiles whose name matches, by default all but those of start-up.
  std::vector<fs::path> profiles(const std::string& pattern = "[0-9].*") const {
    std::vector<fs::path> found;
    for (const auto& entry : fs::directory_iterator(folder_)) {
      const std::string name = entry.path().filename().string();
      if (name.ends_with(".profraw") && std::regex_match(name, std::regex(pattern))) {
        found.push_back(entry.path());
      }
    }
    return found;
  }
  std::vector<fs::path> profiles_of(pid_t pid) const {
    return profiles(std::to_string(pid) + "[.-].*");
  }
  std::vector<fs::path> startup_profiles() const { return profiles("startup-.*"); }

  // How often `function` was entered, over these profiles; nothing when none can be read.
  std::optional<long> count(const std::vector<fs::path>& files,
                            const std::string& function = "turn") const {
    if (files.empty()) return std::nullopt;
    std::string merge = "llvm-profdata-22 merge -o " + (folder_ / "merged").string();
    for (const fs::path& file : files) {
      if (fs::file_size(file) == 0) return std::nullopt;
      merge += " " + file.string();
    }
    if (!run(merge)) return std::nullopt;
    const std::string shown = output_of("llvm-profdata-22 show --counts --function=" + function +
                                        " " + (folder_ / "merged").string());
    // "    Block counts: [100]" under "  turn:"
    std::smatch match;
    const std::regex block("\n  " + function + ":[^\\[]*Block counts: \\[([0-9]+)\\]");
    if (!std::regex_search(shown, match, block)) return 0;
    return std::stol(match[1]);
  }
  std::optional<long> count() const { return count(profiles()); }

  // Sends a request and waits for the n-th acknowledgement of its kind.
  std::string request(pid_t pid, int number, const std::string& suffix, int n = 1) {
    EXPECT_TRUE(eventually([&] { return has(pid, ".ready"); }));
    kill(pid, number);
    const std::string name = suffix + std::to_string(n);
    EXPECT_TRUE(eventually([&] { return has(pid, name); })) << name;
    return marker(pid, name);
  }
  std::string request_write(pid_t pid, int n = 1) {
    return request(pid, HONE_FLUSH_WRITE_SIGNAL, HONE_FLUSH_WRITTEN_SUFFIX, n);
  }
  std::string request_reset(pid_t pid, int n = 1) {
    return request(pid, HONE_FLUSH_RESET_SIGNAL, HONE_FLUSH_RESET_SUFFIX, n);
  }

  fs::path folder_;
};

}  // namespace hone::flush
