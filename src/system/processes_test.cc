#include "system/processes.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>

#include "base/text.h"
#include "system/cpus.h"
#include "system/descriptor.h"
#include "system/line_channel.h"
#include "system/real.h"
#include "system/shell_fixture.h"
#include "system/temporary_folder.h"

namespace hone::system {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

class ProcessesTest : public testing::Test {
 protected:
  std::string output_of(const Command& command) {
    const auto text = processes_->capture(command);
    EXPECT_TRUE(text) << text.error().what;
    return trim(text.value_or("(failed)"));
  }

  TemporaryFolder folder_;
  std::unique_ptr<Processes> processes_ = real_processes();
  std::unique_ptr<Files> files_ = real_files();
};

TEST_F(ProcessesTest, RunGivesTheExitStatusAsAValue) {
  const auto good = processes_->run(shell("exit 0"));
  ASSERT_TRUE(good) << good.error().what;
  EXPECT_TRUE(good->ok());
  const auto bad = processes_->run(shell("exit 7"));
  ASSERT_TRUE(bad);
  EXPECT_EQ(bad->code, 7);
  EXPECT_EQ(describe(*bad), "exit status 7");
  EXPECT_FALSE(bad->ok());
  const auto killed = processes_->run(shell("kill -SEGV $$"));
  ASSERT_TRUE(killed);
  EXPECT_EQ(killed->signal, SIGSEGV);
  EXPECT_EQ(describe(*killed), "killed by SIGSEGV");
}

TEST_F(ProcessesTest, RunCountsWhatDescendantsUsed) {
  // The CPU is used by a grandchild, which is over before the command is.
  const auto exit =
      processes_->run(shell("sh -c 'i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done'; exit 0"));
  ASSERT_TRUE(exit);
  EXPECT_GT(exit->cpu_s, 0.01);
  EXPECT_GT(exit->wall_s, 0.01);
  EXPECT_GT(exit->peak_rss_kib, 500);
}

TEST_F(ProcessesTest, OutputIsAppended) {
  Command command = shell("echo out; echo err >&2");
  command.output = folder_ / "log";
  ASSERT_TRUE(files_->write(command.output, "before\n"));
  ASSERT_TRUE(processes_->run(command));
  EXPECT_EQ(*files_->read(command.output), "before\nout\nerr\n");
}

TEST_F(ProcessesTest, LimitEndsTheCommand) {
  Command command = shell("sleep 600");
  command.limit_s = 0.05;
  const auto exit = processes_->run(command);
  ASSERT_TRUE(exit);
  EXPECT_TRUE(exit->limit);
  EXPECT_FALSE(exit->ok());
  EXPECT_GE(exit->wall_s, 0.05);
  EXPECT_LT(exit->wall_s, 10);
  EXPECT_THAT(describe(*exit), HasSubstr("ended after"));
  const auto captured = processes_->capture(command);
  ASSERT_FALSE(captured);
  EXPECT_EQ(captured.error().kind, ErrorKind::kTimeout);
}

TEST_F(ProcessesTest, CaptureGivesStandardOutputAlone) {
  EXPECT_EQ(*processes_->capture(shell("echo out; echo err >&2; printf x")), "out\nx");
}

TEST_F(ProcessesTest, CaptureShowsTheLastLinesOfAFailure) {
  const auto text = processes_->capture(shell("seq 1 9 >&2; echo out; exit 3"));
  ASSERT_FALSE(text);
  EXPECT_THAT(text.error().what, AllOf(HasSubstr("exit status 3"), HasSubstr("5\n6\n7\n8\n9"),
                                       Not(HasSubstr("\n4")), Not(HasSubstr("out\n"))));
}

TEST_F(ProcessesTest, CaptureWithALogFileReadsTheCauseFromThere) {
  Command command = shell("echo cause >&2; exit 3");
  command.output = folder_ / "log";
  const auto text = processes_->capture(command);
  ASSERT_FALSE(text);
  EXPECT_THAT(text.error().what, HasSubstr("cause"));
  EXPECT_EQ(text.error().log_file, command.output.string());
}

TEST_F(ProcessesTest, CaptureTakesMuchOnBothStreamsWithoutADeadlock) {
  const auto text =
      processes_->capture(shell("head -c 3000000 /dev/zero >&2; head -c 3000000 /dev/zero"));
  ASSERT_TRUE(text);
  EXPECT_EQ(text->size(), 3'000'000U);
}

TEST_F(ProcessesTest, ATalkingChildReadsAndAnswersAndLogsItsErrors) {
  Command command =
      shell("echo ready >&2; while read -r line; do echo \"got $line\"; done; exit 7");
  command.output = folder_ / "log";
  auto talking = processes_->start_talking(command);
  ASSERT_TRUE(talking) << talking.error().what;
  LineChannel channel(talking->from.fd(), talking->to.fd(), 100);
  ASSERT_TRUE(channel.write("one", std::chrono::seconds(10)));
  EXPECT_EQ(**channel.read(std::chrono::seconds(10)), "got one");
  talking->to.close();
  EXPECT_EQ(*channel.read(std::chrono::seconds(10)), std::nullopt);
  EXPECT_EQ((*talking->child->wait(std::chrono::seconds(10)))->code, 7);
  EXPECT_EQ(*files_->read(command.output), "ready\n");
}

TEST_F(ProcessesTest, CaptureIsBounded) {
  Command command = shell("cat /dev/zero");
  const auto text = processes_->capture(command);
  ASSERT_FALSE(text);
  EXPECT_THAT(text.error().what, HasSubstr("64 MiB"));
}

TEST_F(ProcessesTest, CaptureDoesNotWaitForADaemonThatKeepsThePipe) {
  EXPECT_EQ(*processes_->capture(shell("sleep 600 & echo started")), "started\n");
}

TEST_F(ProcessesTest, ArgumentsArriveAsTheyAre) {
  Command command;
  command.argv = {"printf", "%s|", "a b", "", "\xff\xe4", "two\nlines"};
  EXPECT_EQ(*processes_->capture(command), "a b||\xff\xe4|two\nlines|");
}

TEST_F(ProcessesTest, AnOrderLargerThanASocketHoldsArrives) {
  Command command;
  command.argv = {"sh", "-c", "echo $# ${#BIG}", "sh"};
  for (int i = 0; i < 100; ++i) command.argv.emplace_back(10'000, 'x');
  command.env["BIG"] = std::string(100'000, 'y');
  EXPECT_EQ(output_of(command), "100 100000");
}

TEST_F(ProcessesTest, EnvironmentIsSetAndNotInherited) {
  ::setenv("HONE_TEST_SECRET", "leaked", 1);
  Command command;
  command.argv = {"env"};
  command.env = {{"OWN", "value"}};
  const std::vector<std::string> lines = split(output_of(command), '\n');
  ::unsetenv("HONE_TEST_SECRET");
  EXPECT_THAT(lines, Not(testing::Contains(HasSubstr("HONE_TEST_SECRET"))));
  EXPECT_THAT(lines,
              testing::IsSupersetOf({std::string("OWN=value"), std::string("LANG=C.UTF-8")}));
  EXPECT_THAT(lines, testing::Contains(testing::StartsWith("PATH=/")));
  EXPECT_LE(lines.size(), 7U);
}

TEST_F(ProcessesTest, SignalsAreDefaultWhateverHoneInherited) {
  // As in a shell's background job.
  const auto old_int = ::signal(SIGINT, SIG_IGN);
  const auto old_quit = ::signal(SIGQUIT, SIG_IGN);
  sigset_t blocked;
  sigset_t before;
  ::sigemptyset(&blocked);
  ::sigaddset(&blocked, SIGUSR1);
  ::sigprocmask(SIG_BLOCK, &blocked, &before);
  Command command;
  command.argv = {"grep", "-E", "^Sig(Blk|Ign):", "/proc/self/status"};
  const std::string seen = output_of(command);
  ::sigprocmask(SIG_SETMASK, &before, nullptr);
  ::signal(SIGINT, old_int);
  ::signal(SIGQUIT, old_quit);
  EXPECT_EQ(seen, "SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000");
}

TEST_F(ProcessesTest, TheSessionIsHonesAndTheGroupItsOwn) {
  // A new session would be a new scheduling group.
  const std::string seen = output_of(shell("cut -d' ' -f5,6 /proc/$$/stat; echo $$"));
  const std::vector<std::string> words = split_words(seen);
  ASSERT_EQ(words.size(), 3U);
  EXPECT_EQ(words[0], words[2]);
  EXPECT_EQ(words[1], std::to_string(::getsid(0)));
}

TEST_F(ProcessesTest, DescriptorsAndTimerSlackAreNotInherited) {
  const Descriptor leaking(::open("/dev/null", O_RDONLY));  // without O_CLOEXEC
  EXPECT_THAT(split_words(output_of(shell("ls /proc/$$/fd"))), ElementsAre("0", "1", "2"));
  ::prctl(PR_SET_TIMERSLACK, 1);
  Command command;
  command.argv = {"cat", "/proc/self/timerslack_ns"};
  const std::string slack = output_of(command);
  ::prctl(PR_SET_TIMERSLACK, 0);
  EXPECT_EQ(slack, "50000");
}

TEST_F(ProcessesTest, StandardInputIsEmpty) { EXPECT_EQ(output_of(shell("cat; echo end")), "end"); }

TEST_F(ProcessesTest, CpusAreThoseOfTheCommandOrOfHonesStart) {
  const std::vector<int> all = allowed_cpus();
  Command command = shell("grep Cpus_allowed_list /proc/$$/status | cut -f2");
  command.cpus = {all.back()};
  EXPECT_EQ(output_of(command), std::to_string(all.back()));
  command.cpus = {};
  ASSERT_TRUE(pin_this_thread({all.front()}));
  EXPECT_EQ(output_of(command), format_cpu_list(all));
  ASSERT_TRUE(pin_this_thread(all));
  command.cpus = {8000};
  const auto none = processes_->run(command);
  ASSERT_FALSE(none);
  EXPECT_THAT(none.error().what, HasSubstr("CPU 8000"));
}

TEST_F(ProcessesTest, WorkingFolder) {
  Command command;
  command.argv = {"pwd"};
  command.cwd = folder_.path();
  EXPECT_EQ(output_of(command), std::filesystem::canonical(folder_.path()).string());
  command.cwd = folder_ / "none";
  const auto none = processes_->run(command);
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().kind, ErrorKind::kNotFound);
  EXPECT_THAT(none.error().what, HasSubstr((folder_ / "none").string()));
}

TEST_F(ProcessesTest, AMissingProgramIsNamed) {
  for (const std::string& program : {std::string("hone-no-such-tool"), (folder_ / "no").string()}) {
    Command command;
    command.argv = {program};
    for (const auto& error : {processes_->run(command).error(), processes_->start(command).error(),
                              processes_->capture(command).error()}) {
      EXPECT_EQ(error.kind, ErrorKind::kToolMissing);
      EXPECT_THAT(error.what, HasSubstr(program));
      EXPECT_THAT(error.next, HasSubstr("install"));
    }
  }
}

TEST_F(ProcessesTest, AProgramThatCannotBeStartedSaysWhy) {
  Command command;
  command.argv = {(folder_ / "script").string()};
  ASSERT_TRUE(files_->write(folder_ / "script", "#!/no/such/interpreter\n"));
  EXPECT_EQ(processes_->run(command).error().kind, ErrorKind::kPermission);  // mode 0644
  ASSERT_TRUE(files_->set_mode(folder_ / "script", 0755));
  const auto error = processes_->run(command).error();
  EXPECT_EQ(error.kind, ErrorKind::kToolMissing);
  EXPECT_THAT(error.what, HasSubstr("interpreter"));
  ASSERT_TRUE(files_->write(folder_ / "script", "not a program"));
  ASSERT_TRUE(files_->set_mode(folder_ / "script", 0755));
  EXPECT_THAT(processes_->run(command).error().what, HasSubstr("not a program for this machine"));
}

TEST_F(ProcessesTest, AnOutputThatCannotBeWrittenIsNamed) {
  Command command = shell("true");
  command.output = folder_ / "no/log";
  const auto exit = processes_->run(command);
  ASSERT_FALSE(exit);
  EXPECT_THAT(exit.error().what, HasSubstr(command.output.string()));
}

TEST_F(ProcessesTest, AnotherUser) {
  Command command = shell("id -un; id -G; echo $HOME $USER");
  command.user = "hone-no-such-user";
  const auto unknown = processes_->run(command);
  ASSERT_FALSE(unknown);
  EXPECT_THAT(unknown.error().what, HasSubstr("hone-no-such-user"));
  if (::geteuid() != 0) {
    command.user = "root";
    EXPECT_EQ(processes_->run(command).error().kind, ErrorKind::kPermission);
    GTEST_SKIP() << "running as another user needs root";
  }
  command.user = "nobody";
  EXPECT_EQ(output_of(command), "nobody\n65534\n/nonexistent nobody");
  // The log is opened before the rights are given up, as a server's own master would.
  command.output = folder_ / "log";
  ASSERT_TRUE(processes_->run(command)->ok());
  EXPECT_THAT(*files_->read(command.output), testing::StartsWith("nobody\n"));
}

TEST_F(ProcessesTest, FindProgram) {
  EXPECT_THAT(processes_->find_program("sh")->string(), testing::EndsWith("/sh"));
  EXPECT_EQ(processes_->find_program("/bin/sh"), Path("/bin/sh"));
  EXPECT_FALSE(processes_->find_program("hone-no-such-tool"));
  EXPECT_FALSE(processes_->find_program("/tmp"));  // a folder is no program
  EXPECT_FALSE(processes_->find_program(""));
}

TEST_F(ProcessesTest, SignalsReachProcessesByTheirIds) {
  auto child = processes_->start(shell("exec sleep 60"));
  ASSERT_TRUE(child);
  const std::vector<pid_t> pids = {(*child)->pid()};
  ASSERT_TRUE(processes_->signal(pids, SIGTERM));
  const auto exit = (*child)->wait(seconds(10));
  ASSERT_TRUE(exit);
  ASSERT_TRUE(exit->has_value());
  EXPECT_EQ((*exit)->signal, SIGTERM);
  // One that is gone is no error.
  EXPECT_TRUE(processes_->signal(pids, SIGTERM));
  EXPECT_TRUE(processes_->signal({}, SIGTERM));
}

}  // namespace
}  // namespace hone::system
