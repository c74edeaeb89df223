// Requests, children, modules, users and refusals: what the library does besides outliving the end
// (ending_test.cc), in real processes.
#include "flush/flush_fixture.h"

namespace hone::flush {
namespace {

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

TEST_F(FlushTest, AProgramThatIsExecutedFindsNoSignalBlocked) {
  Server server = start();
  EXPECT_EQ(server.ask("turns 100"), "ok");
  EXPECT_EQ(server.ask("exec-mask"), "SigBlk:\t0000000000000000");
  EXPECT_EQ(count(), 100);
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
