// The flush library in real processes: each is built here with clang's -fprofile-generate, told to
// call one function a known number of times, and ended in one of the ways that lose a profile. What
// counts is what llvm-profdata reads afterwards.
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
namespace {

namespace fs = std::filesystem;

constexpr auto kLimit = std::chrono::seconds(20);  // of every wait; a test that meets it has failed

std::string read_text(const fs::path& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::string output_of(const std::string& command) {
  FILE* pipe = popen(command.c_str(), "r");
  std::string text;
  char buffer[4096];
  for (std::size_t n = 0; (n = fread(buffer, 1, sizeof(buffer), pipe)) > 0;) text.append(buffer, n);
  pclose(pipe);
  return text;
}

bool run(const std::string& command) {
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

const Programs& programs() {
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

// Every way to end, with what the process should end as and whether a plain runtime loses it.
struct Ending {
  std::string name;
  std::vector<std::string> before;  // commands that are answered
  std::string last;                 // the command that ends it, or "kill N"
  std::string ended;
  bool lost_without;
  int more_turns = 0;
};

void PrintTo(const Ending& ending, std::ostream* out) { *out << ending.name; }

class EndingTest : public FlushTest, public testing::WithParamInterface<Ending> {
 protected:
  void end(Server& server) {
    EXPECT_EQ(server.ask("turns 100"), "ok");
    for (const std::string& command : GetParam().before) EXPECT_NE(server.ask(command), "");
    if (GetParam().last.starts_with("kill ")) {
      kill(server.pid(), std::stoi(GetParam().last.substr(5)));
    } else {
      server.say(GetParam().last);
    }
    EXPECT_EQ(server.ended(), GetParam().ended);
  }
};

TEST_P(EndingTest, KeepsTheProfile) {
  Server server = start();
  end(server);
  EXPECT_EQ(count(), 100 + GetParam().more_turns);
  EXPECT_EQ(profiles().size(), 1u);
}

TEST_P(EndingTest, IsLostWithoutTheLibraryWhereItShouldBe) {
  Server server = start_unprotected();
  end(server);
  if (GetParam().lost_without) {
    EXPECT_EQ(count(profiles(".*")), std::nullopt);
  } else {
    EXPECT_EQ(count(profiles(".*")), 100 + GetParam().more_turns);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Ways, EndingTest,
    testing::Values(Ending{"Return", {}, "return", "exit 3", false},
                    Ending{"Exit", {}, "exit", "exit 3", false},
                    Ending{"PthreadExitOfTheLastThread", {}, "pthread_exit", "exit 0", false},
                    Ending{"UnderscoreExit", {}, "_exit", "exit 3", true},
                    Ending{"UnderscoreCapitalExit", {}, "_Exit", "exit 3", true},
                    Ending{"QuickExitAfterItsHandlers", {}, "quick_exit", "exit 3", true, 1},
                    Ending{"Abort", {}, "abort", "signal 6", true},
                    Ending{"Term", {}, "kill 15", "signal 15", true},
                    Ending{"Interrupt", {}, "kill 2", "signal 2", true},
                    Ending{"Quit", {}, "kill 3", "signal 3", true},
                    Ending{"HangUp", {}, "kill 1", "signal 1", true},
                    Ending{"TermWithHandlerThatExits", {"term-handler"}, "kill 15", "exit 7", true},
                    Ending{"TermSetToDefault", {"term-default"}, "kill 15", "signal 15", true},
                    Ending{"TermHandledThenDefault",
                           {"term-handler", "term-signal-default"},
                           "kill 15",
                           "signal 15",
                           true},
                    Ending{
                        "EverySignalSetToDefault", {"all-default"}, "kill 15", "signal 15", true},
                    Ending{"TermBySigwait", {"term-sigwait"}, "kill 15", "exit 9", false},
                    Ending{"TermWithABusyThread", {"turns 1"}, "kill 15", "signal 15", true, 1},
                    Ending{"FromAReadOnlyFolder", {"chdir /proc"}, "kill 15", "signal 15", true},
                    Ending{"WithClosedStreams", {"close-streams"}, "kill 15", "signal 15", true}),
    [](const auto& tested) { return tested.param.name; });

TEST_F(FlushTest, ChangesNothingWithoutItsFolder) {
  Server server = start_unprotected();
  EXPECT_EQ(server.ask("environment LLVM_PROFILE_FILE"), "");
  EXPECT_TRUE(fs::is_empty(folder_));
}

TEST_F(FlushTest, ReportsTheDispositionsThatTheProgramSet) {
  Server server = start();
  EXPECT_EQ(server.ask("term?"), "default");
  EXPECT_EQ(server.ask("term-handler"), "default");
  EXPECT_EQ(server.ask("term?"), "handler");
  EXPECT_EQ(server.ask("term-signal-default"), "handler");
  EXPECT_EQ(server.ask("term-ignore"), "default");
  EXPECT_EQ(server.ask("term?"), "ignored");
  EXPECT_EQ(server.ask("term-default"), "ignored");
  EXPECT_EQ(server.ask("term-default"), "default");
}

TEST_F(FlushTest, LeavesAnIgnoredSignalIgnored) {
  Server server = start();
  EXPECT_EQ(server.ask("term-ignore"), "default");
  kill(server.pid(), SIGTERM);
  EXPECT_EQ(server.ask("turns 5"), "ok");
}

TEST_F(FlushTest, SaysThatItIsReady) {
  Server server = start();
  EXPECT_EQ(server.ask("turns 1"), "ok");
  EXPECT_EQ(marker(server.pid(), ".ready"),
            "1 modules: " + fs::canonical(programs().server).string() + "\n");
}

TEST_F(FlushTest, WritesOnDemandAndSurvivesKill) {
  Server server = start();
  EXPECT_EQ(server.ask("turns 100"), "ok");
  EXPECT_EQ(request_write(server.pid()), "ok 1 modules\n");
  kill(server.pid(), SIGKILL);
  EXPECT_EQ(server.ended(), "signal 9");
  EXPECT_EQ(count(), 100);
}

TEST_F(FlushTest, NeverCountsTwiceOverManyWritesAndTheEnd) {
  for (const char* last : {"exit", "_exit", "return", "abort"}) {
    Server server = start();
    EXPECT_EQ(server.ask("turns 100"), "ok");
    request_write(server.pid(), 1);
    EXPECT_EQ(server.ask("turns 10"), "ok");
    request_write(server.pid(), 2);
    request_write(server.pid(), 3);
    EXPECT_EQ(server.ask("turns 1"), "ok");
    const pid_t pid = server.pid();
    server.say(last);
    server.ended();
    EXPECT_EQ(count(profiles_of(pid)), 111) << last;
  }
}

TEST_F(FlushTest, MakesStartUpALegOfItsOwn) {
  Server server = start();
  EXPECT_EQ(server.ask("turns 7"), "ok");
  EXPECT_EQ(request_reset(server.pid()), "ok 1 modules\n");
  EXPECT_EQ(server.ask("turns 100"), "ok");
  server.say("_exit");
  EXPECT_EQ(server.ended(), "exit 3");
  EXPECT_EQ(count(startup_profiles()), 7);
  EXPECT_EQ(count(), 100);
}

TEST_F(FlushTest, ThrowsAwayWhatALaterResetFinds) {
  Server server = start();
  EXPECT_EQ(server.ask("turns 7"), "ok");
  request_reset(server.pid(), 1);
  EXPECT_EQ(server.ask("turns 1000"), "ok");
  request_reset(server.pid(), 2);
  EXPECT_EQ(server.ask("turns 100"), "ok");
  server.say("exit");
  EXPECT_EQ(server.ended(), "exit 3");
  EXPECT_EQ(count(startup_profiles()), 7);
  EXPECT_EQ(count(), 100);
}

TEST_F(FlushTest, TakesRequestsWhateverTheProgramMasks) {
  for (const char* mask : {"block-all", "unblock-all", "all-default"}) {
    Server server = start();
    EXPECT_EQ(server.ask(mask), "ok");
    EXPECT_EQ(server.ask("turns 100"), "ok");
    request_write(server.pid());
    EXPECT_EQ(count(profiles_of(server.pid())), 100) << mask;
  }
}

TEST_F(FlushTest, CountsAllThreadsAndWritesBesideARunningOne) {
  Server server = start();
  EXPECT_EQ(server.ask("threads 1000"), "ok");
  request_write(server.pid());
  EXPECT_EQ(count(), 4000);
  EXPECT_EQ(server.ask("busy-thread"), "ok");
  kill(server.pid(), SIGTERM);
  EXPECT_EQ(server.ended(), "signal 15");
  EXPECT_GT(count(), 4000);
}

TEST_F(FlushTest, ForkedChildrenStartFromZeroUnderTheirOwnName) {
  for (const char* how : {"exit", "_exit"}) {
    Server server = start();
    EXPECT_EQ(server.ask("turns 100"), "ok");
    std::vector<pid_t> children;
    for (int i = 0; i < 3; ++i) {
      children.push_back(std::stoi(server.ask(std::string("fork ") + how + " 10")));
      EXPECT_EQ(server.ask("reap " + std::to_string(children.back())), "0");
    }
    const pid_t pid = server.pid();
    server.say("exit");
    server.ended();
    EXPECT_EQ(count(profiles_of(pid)), 100) << how;
    for (const pid_t child : children) EXPECT_EQ(count(profiles_of(child)), 10) << how;
  }
  EXPECT_EQ(count(), 260);
}

TEST_F(FlushTest, WithoutTheLibraryForkedChildrenMultiplyTheCounts) {
  Server server = start_unprotected();
  EXPECT_EQ(server.ask("turns 100"), "ok");
  EXPECT_EQ(server.ask("reap " + server.ask("fork exit 10")), "0");
  server.say("exit");
  server.ended();
  EXPECT_NE(count(profiles(".*")), 110);
}

TEST_F(FlushTest, ServesAForkedWorkerLikeItsParent) {
  Server server = start();
  EXPECT_EQ(server.ask("turns 100"), "ok");
  const pid_t child = std::stoi(server.ask("fork wait 10"));
  EXPECT_EQ(request_reset(child), "ok 1 modules\n");
  EXPECT_EQ(count(startup_profiles()), 10);
  EXPECT_EQ(request_write(child), "ok 1 modules\n");
  EXPECT_EQ(count(profiles_of(child)).value_or(0), 0);
  kill(child, SIGTERM);
  EXPECT_EQ(server.ask("reap " + std::to_string(child)), "-15");
}

TEST_F(FlushTest, KeepsTheCountsOfAnImageThatExecReplaces) {
  Server server = start();
  EXPECT_EQ(server.ask("turns 100"), "ok");
  const pid_t pid = server.pid();
  server.say("exec 10");
  EXPECT_EQ(server.ended(), "exit 0");
  EXPECT_EQ(profiles_of(pid).size(), 2u);  // the same pid twice, never merged by the runtime
  EXPECT_EQ(count(), 110);
}

TEST_F(FlushTest, AFailedExecLeavesEverythingAsItWas) {
  Server server = start();
  EXPECT_EQ(server.ask("turns 100"), "ok");
  EXPECT_EQ(server.ask("errno"), std::to_string(ENOENT));
  EXPECT_TRUE(has(server.pid(), ".ready"));
  EXPECT_EQ(server.ask("turns 10"), "ok");
  server.say("exit");
  EXPECT_EQ(server.ended(), "exit 3");
  EXPECT_EQ(count(), 110);
}

TEST_F(FlushTest, KeepsBothSidesOfForkAndExec) {
  Server server = start();
  EXPECT_EQ(server.ask("turns 100"), "ok");
  const std::string child = server.ask("fork exec 5");
  EXPECT_EQ(server.ask("reap " + child), "0");
  const pid_t pid = server.pid();
  server.say("exit");
  server.ended();
  EXPECT_EQ(count(profiles_of(pid)), 100);
  EXPECT_EQ(count(profiles_of(std::stoi(child))), 15);
}

TEST_F(FlushTest, AChildOfVforkWritesNothing) {
  for (const char* how : {"_exit", "exec"}) {
    Server server = start();
    EXPECT_EQ(server.ask("turns 100"), "ok");
    const std::string child = server.ask(std::string("vfork ") + how);
    EXPECT_EQ(server.ask("reap " + child), "0");
    EXPECT_EQ(profiles_of(server.pid()).size(), 0u) << how;
    EXPECT_TRUE(has(server.pid(), ".ready")) << how;
    const pid_t pid = server.pid();
    server.say("_exit");
    server.ended();
    EXPECT_EQ(count(profiles_of(pid)), 100) << how;
  }
}

TEST_F(FlushTest, KeepsWhatWasCountedBeforeGoingIntoTheBackground) {
  Server server = start();
  EXPECT_EQ(server.ask("turns 100"), "ok");
  const pid_t background = std::stoi(server.ask("daemon"));
  EXPECT_EQ(server.ask("turns 10"), "ok");
  const pid_t pid = server.pid();
  EXPECT_EQ(server.ended(), "exit 0");
  kill(background, SIGTERM);
  EXPECT_TRUE(eventually([&] { return kill(background, 0) != 0; }));
  EXPECT_EQ(count(profiles_of(pid)), 100);
  EXPECT_EQ(count(profiles_of(background)), 10);
}

TEST_F(FlushTest, ServesAModuleThatIsLoadedLater) {
  Server server = start();
  EXPECT_EQ(server.ask("plugin 50 " + programs().plugin.string()), "ok");
  EXPECT_EQ(server.ask("turns 100"), "ok");
  EXPECT_EQ(request_write(server.pid()), "ok 2 modules\n");
  EXPECT_EQ(count(profiles(), "plugin_turn"), 50);
  server.say("_exit");
  EXPECT_EQ(server.ended(), "exit 3");
  EXPECT_EQ(count(profiles(), "plugin_turn"), 50);
  EXPECT_EQ(count(), 100);
}

TEST_F(FlushTest, KeepsTheCountsOfAModuleThatIsUnloaded) {
  Server server = start();
  EXPECT_EQ(server.ask("plugin 50 " + programs().plugin.string()), "ok");
  request_reset(server.pid());
  EXPECT_EQ(server.ask("plugin 20 " + programs().plugin.string()), "ok");
  EXPECT_EQ(server.ask("unload"), "ok");  // twice: dlopen counts
  EXPECT_EQ(server.ask("unload"), "ok");
  EXPECT_EQ(request_write(server.pid()), "ok 1 modules\n");
  server.say("_exit");
  server.ended();
  EXPECT_EQ(count(startup_profiles(), "plugin_turn"), 50);
  EXPECT_EQ(count(profiles(), "plugin_turn"), 20);
}

TEST_F(FlushTest, WritesAsTheUserThatThePrivilegesWereDroppedTo) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root: only root can become another user";
  Server server = start();
  EXPECT_EQ(server.ask("turns 7"), "ok");
  request_reset(server.pid());
  EXPECT_EQ(server.ask("setuid 65534"), "ok");  // nobody
  EXPECT_EQ(server.ask("turns 100"), "ok");
  EXPECT_EQ(request_write(server.pid()), "ok 1 modules\n");
  kill(server.pid(), SIGTERM);
  EXPECT_EQ(server.ended(), "signal 15");
  EXPECT_EQ(count(), 100);
}

TEST_F(FlushTest, SaysWhenAWriteFails) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root: a folder that can be closed to the server only";
  Server server = start();
  EXPECT_EQ(server.ask("turns 100"), "ok");
  EXPECT_EQ(server.ask("setuid 65534"), "ok");
  // A folder stands where the profile should go; the markers can still be written.
  request_write(server.pid(), 1);
  const std::string first = profiles()[0].filename().string();
  const std::string module = first.substr(first.find('-'));
  fs::create_directory(folder_ / (std::to_string(server.pid()) + ".1" + module));
  EXPECT_EQ(server.ask("turns 10"), "ok");
  EXPECT_EQ(request_write(server.pid(), 2), "failed: 1 of 1 modules\n");
  // Nothing is forgotten: the next part has it.
  EXPECT_EQ(request_write(server.pid(), 3), "ok 1 modules\n");
  fs::remove(folder_ / (std::to_string(server.pid()) + ".1" + module));
  EXPECT_EQ(count(), 110);
}

TEST_F(FlushTest, RefusesAProgramWithoutARuntime) {
  Server server = start(programs().plain);
  EXPECT_EQ(server.ask("turns 1"), "ok");
  EXPECT_NE(marker(server.pid(), ".refused").find("none carries LLVM's profile runtime"),
            std::string::npos);
  EXPECT_FALSE(has(server.pid(), ".ready"));
  kill(server.pid(), SIGTERM);
  EXPECT_EQ(server.ended(), "signal 15");
}

TEST_F(FlushTest, RefusesAStrippedProgram) {
  Server server = start(programs().stripped);
  EXPECT_EQ(server.ask("turns 1"), "ok");
  EXPECT_NE(marker(server.pid(), ".refused").find("stripped"), std::string::npos);
}

TEST_F(FlushTest, RefusesAProgramWhoseLinkerDroppedTheFunctionsAndSaysHowToKeepThem) {
  Server server = start(programs().collected);
  EXPECT_EQ(server.ask("turns 1"), "ok");
  EXPECT_NE(marker(server.pid(), ".refused").find(HONE_FLUSH_LINK_FLAGS), std::string::npos);
}

TEST_F(FlushTest, TheFlagsKeepTheFunctionsThroughSectionCollection) {
  const fs::path kept = programs().folder / "kept";
  ASSERT_TRUE(run("clang-22 -O1 -fprofile-generate -fuse-ld=lld -Wl,--gc-sections " +
                  std::string(HONE_FLUSH_LINK_FLAGS " " HONE_TEST_SERVERS "/commanded.c -o ") +
                  kept.string()));
  Server server = start(kept);
  EXPECT_EQ(server.ask("turns 100"), "ok");
  server.say("_exit");
  EXPECT_EQ(server.ended(), "exit 3");
  EXPECT_EQ(count(), 100);
}

TEST_F(FlushTest, ServesAStaticProgramThroughTheArchive) {
  for (const char* last : {"_exit", "exit", "abort"}) {
    Server server = start(programs().still);
    EXPECT_EQ(server.ask("turns 7"), "ok");
    request_reset(server.pid());
    EXPECT_EQ(server.ask("turns 100"), "ok");
    EXPECT_EQ(server.ask("reap " + server.ask("fork _exit 10")), "0");
    const pid_t pid = server.pid();
    server.say(last);
    server.ended();
    EXPECT_EQ(count(profiles_of(pid)), 100) << last;
  }
  EXPECT_EQ(count(), 330);
  EXPECT_EQ(count(startup_profiles()), 21);
}

class RemovePrograms : public testing::Environment {
 public:
  void TearDown() override {
    fs::remove_all(programs().folder);
    fs::remove("/tmp/hone-flush-test-log." + std::to_string(getpid()));
  }
};
const testing::Environment* const kRemovePrograms =
    testing::AddGlobalTestEnvironment(new RemovePrograms);

}  // namespace
}  // namespace hone::flush
