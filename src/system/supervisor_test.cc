// That nothing outlives hone, and nothing ends before it should.
#include "system/supervisor.h"

#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>

#include "base/text.h"
#include "system/proc.h"
#include "system/real.h"
#include "system/shell_fixture.h"
#include "system/temporary_folder.h"
#include "system/waiting.h"

namespace hone::system {
namespace {

using testing::HasSubstr;

// An orphan whose new parent does not care for it stays a zombie: that is gone for our purpose.
bool alive(pid_t pid) {
  const auto text = read_proc("/proc/" + std::to_string(pid) + "/stat");
  const auto stat = text ? parse_stat(*text) : std::nullopt;
  return stat && stat->state != 'Z' && stat->state != 'X';
}

class SupervisorTest : public testing::Test {
 protected:
  // A command that leaves a daemon behind (two forks and a session of its own) and its pid in
  // `file`.
  static std::string daemon(const Path& file) {
    return "setsid sh -c 'sleep 600 & echo $! >" + file.string() + ".new && mv " + file.string() +
           ".new " + file.string() + "' & wait; ";
  }

  // The pid in a file that a command writes, once it is there.
  pid_t pid_in(const Path& file) {
    EXPECT_TRUE(eventually([&] { return files_->exists(file); })) << file;
    return static_cast<pid_t>(parse_integer(trim(files_->read(file).value_or(""))).value_or(-1));
  }

  TemporaryFolder folder_;
  std::unique_ptr<Files> files_ = real_files();
  std::unique_ptr<Processes> processes_ = real_processes();
};

TEST_F(SupervisorTest, NothingOutlivesAHoneThatIsKilled) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  const pid_t hone = ::fork();
  if (hone == 0) {
    const auto child = processes_->start(shell(daemon(folder_ / "daemon") + "exec sleep 600"));
    const std::array<pid_t, 2> pids = {child ? (*child)->pid() : -1,
                                       child ? (*child)->supervisor_pid() : -1};
    [[maybe_unused]] const ssize_t written = ::write(ends[1], pids.data(), sizeof pids);
    while (true) ::pause();
  }
  std::array<pid_t, 2> pids{};
  ASSERT_EQ(::read(ends[0], pids.data(), sizeof pids), static_cast<ssize_t>(sizeof pids));
  const auto [command, supervisor] = pids;
  const pid_t stray = pid_in(folder_ / "daemon");
  ASSERT_GT(command, 0);
  ASSERT_GT(stray, 0);
  for (const pid_t pid : {command, supervisor, stray}) EXPECT_TRUE(alive(pid)) << pid;
  EXPECT_NE(::getsid(stray), ::getsid(command));  // it has left the command's session

  ::kill(hone, SIGKILL);
  ::waitpid(hone, nullptr, 0);
  for (const pid_t pid : {command, stray, supervisor})
    EXPECT_TRUE(eventually([pid] { return !alive(pid); })) << pid;
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST_F(SupervisorTest, CtrlCInTheTerminalDoesNotStopItsWork) {
  auto child = processes_->start(shell("exec sleep 600"));
  ASSERT_TRUE(child);
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1})
    ::kill((*child)->supervisor_pid(), number);
  EXPECT_NE(::getpgid((*child)->supervisor_pid()), ::getpgid(0));
  const pid_t command = (*child)->pid();
  EXPECT_FALSE((*child)->exited());
  (*child)->end();
  EXPECT_FALSE(alive(command));
  EXPECT_EQ((*child)->exited()->signal, SIGKILL);
}

TEST_F(SupervisorTest, ACommandThatKillsItsWholeGroupDoesNotReachTheSupervisor) {
  auto child = processes_->start(shell("kill -KILL 0"));
  ASSERT_TRUE(child);
  const auto exit = (*child)->wait(seconds(10));
  ASSERT_TRUE(exit && *exit);
  EXPECT_EQ((*exit)->signal, SIGKILL);
  EXPECT_TRUE(alive((*child)->supervisor_pid()));
}

TEST_F(SupervisorTest, TheCommandDiesWithAKilledSupervisor) {
  auto child = processes_->start(shell("exec sleep 600"));
  ASSERT_TRUE(child);
  const pid_t command = (*child)->pid();
  ::kill((*child)->supervisor_pid(), SIGKILL);
  EXPECT_TRUE(eventually([command] { return !alive(command); }));
  const auto exit = (*child)->wait(seconds(10));
  ASSERT_TRUE(exit && *exit);
  EXPECT_EQ((*exit)->signal, SIGKILL);
  (*child)->end();
}

TEST_F(SupervisorTest, ADaemonWorksOnAfterItsParentUntilItIsEnded) {
  auto child = processes_->start(shell(daemon(folder_ / "daemon") + "exit 3"));
  ASSERT_TRUE(child);
  const auto exit = (*child)->wait(seconds(10));
  ASSERT_TRUE(exit && *exit);
  EXPECT_EQ((*exit)->code, 3);
  const pid_t stray = pid_in(folder_ / "daemon");
  EXPECT_TRUE(alive(stray));
  (*child)->end();
  EXPECT_FALSE(alive(stray));
  (*child)->end();  // again: nothing to do
  EXPECT_EQ((*child)->exited()->code, 3);
}

TEST_F(SupervisorTest, RunEndsStrayDescendantsOnceTheCommandHasEnded) {
  const auto exit = processes_->run(shell(daemon(folder_ / "daemon") + "exit 0"));
  ASSERT_TRUE(exit);
  EXPECT_TRUE(exit->ok());
  EXPECT_FALSE(alive(pid_in(folder_ / "daemon")));
}

TEST_F(SupervisorTest, OrphansAreReapedWhileTheCommandRuns) {
  auto child = processes_->start(shell("for i in 1 2 3 4 5; do (sh -c 'exit 0' &) ; done; touch " +
                                       (folder_ / "done").string() + "; exec sleep 600"));
  ASSERT_TRUE(child);
  ASSERT_TRUE(eventually([&] { return files_->exists(folder_ / "done"); }));
  const auto table = real_process_table();
  EXPECT_TRUE(eventually([&] {
    const auto members = table->tree((*child)->supervisor_pid());
    return members && members->size() == 1;  // the sleep alone, no zombies
  }));
}

TEST_F(SupervisorTest, AMasterThatRestartsItsWorkersIsEndedToo) {
  auto child = processes_->start(shell("while :; do sh -c 'sleep 600 & wait' & wait; done"));
  ASSERT_TRUE(child);
  const pid_t supervisor = (*child)->supervisor_pid();
  const auto table = real_process_table();
  ASSERT_TRUE(eventually([&] { return table->tree(supervisor)->size() >= 3; }));
  const auto members = table->tree(supervisor);
  ASSERT_TRUE(members);
  std::vector<pid_t> pids;
  for (const ProcessInfo& member : *members) pids.push_back(member.pid);
  (*child)->end();
  for (const pid_t pid : pids) EXPECT_FALSE(alive(pid)) << pid;
  EXPECT_FALSE(alive(supervisor));
}

TEST_F(SupervisorTest, SignalsReachTheCommandAndOnlyWhileItLives) {
  auto child = processes_->start(shell("trap 'exit 9' TERM; touch " + (folder_ / "ready").string() +
                                       "; while :; do sleep 0.01; done"));
  ASSERT_TRUE(child);
  ASSERT_TRUE(eventually([&] { return files_->exists(folder_ / "ready"); }));
  ASSERT_TRUE((*child)->signal(SIGTERM));
  const auto exit = (*child)->wait(seconds(10));
  ASSERT_TRUE(exit && *exit);
  EXPECT_EQ((*exit)->code, 9);
  const Status late = (*child)->signal(SIGTERM);
  ASSERT_FALSE(late);
  EXPECT_THAT(late.error().what, HasSubstr("exit status 9"));
}

TEST_F(SupervisorTest, WaitIsBounded) {
  auto child = processes_->start(shell("exec sleep 600"));
  ASSERT_TRUE(child);
  const auto exit = (*child)->wait(std::chrono::milliseconds(5));
  ASSERT_TRUE(exit);
  EXPECT_FALSE(*exit);
  EXPECT_TRUE(alive((*child)->pid()));
}

TEST_F(SupervisorTest, DestructionEndsTheChild) {
  pid_t command = 0;
  {
    const auto child = processes_->start(shell("exec sleep 600"));
    ASSERT_TRUE(child);
    command = (*child)->pid();
    EXPECT_TRUE(alive(command));
  }
  EXPECT_FALSE(alive(command));
}

TEST_F(SupervisorTest, TypedByAUserItIsNoCommand) {
  std::string hone = "hone";
  std::string verb = "supervise";
  std::array<char*, 2> argv = {hone.data(), verb.data()};
  // Descriptor 3 is whatever this test program has there; it is not the channel to a hone.
  const int saved = ::dup(3);
  ::close(3);
  EXPECT_EQ(supervise_if_asked(2, argv.data()), -1);
  if (saved >= 0) {
    ::dup2(saved, 3);
    ::close(saved);
  }
  EXPECT_EQ(supervise_if_asked(1, argv.data()), -1);
}

}  // namespace
}  // namespace hone::system
