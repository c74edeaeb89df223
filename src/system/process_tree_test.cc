#include "system/process_tree.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>

#include "system/cpus.h"
#include "system/descriptor.h"
#include "system/real.h"
#include "system/shell_fixture.h"
#include "system/temporary_folder.h"
#include "system/waiting.h"

namespace hone::system {
namespace {

using testing::Contains;
using testing::Field;
using testing::HasSubstr;
using testing::Not;

constexpr pid_t kNoProcess = 0x7ffffff0;  // above any pid_max (2^22)

Descriptor listening_socket(std::uint16_t& port) {
  Descriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  EXPECT_EQ(::bind(socket.fd(), generic, size), 0);
  EXPECT_EQ(::listen(socket.fd(), 1), 0);
  EXPECT_EQ(::getsockname(socket.fd(), generic, &size), 0);
  port = ntohs(address.sin_port);
  return socket;
}

class ProcessTreeTest : public testing::Test {
 protected:
  std::unique_ptr<Child> start(const Command& command) {
    auto child = processes_->start(command);
    EXPECT_TRUE(child) << child.error().what;
    return child ? *std::move(child) : nullptr;
  }

  TreeUsage usage(const Child& child) {
    const auto usage = table_->usage(child.supervisor_pid());
    EXPECT_TRUE(usage);
    return usage.value_or(TreeUsage{});
  }

  TemporaryFolder folder_;
  std::unique_ptr<Processes> processes_ = real_processes();
  std::unique_ptr<ProcessTable> table_ = real_process_table();
};

TEST_F(ProcessTreeTest, ABusyTreeUsesCpuInAllItsProcesses) {
  Command command = shell("while :; do :; done & while :; do :; done & wait");
  command.cpus = {allowed_cpus().back()};  // the two get in each other's way
  const auto child = start(command);
  ASSERT_NE(child, nullptr);
  EXPECT_TRUE(eventually([&] {
    const TreeUsage now = usage(*child);
    return now.processes == 3 && now.cpu_ns > 30'000'000 && now.run_delay_ns > 5'000'000;
  }));
  const TreeUsage seen = usage(*child);
  EXPECT_EQ(seen.threads, 3);
  EXPECT_EQ(seen.pids.size(), 3U);
  EXPECT_TRUE(std::is_sorted(seen.pids.begin(), seen.pids.end()));
  EXPECT_THAT(seen.pids, Contains(child->pid()));
  EXPECT_THAT(seen.pids, Not(Contains(child->supervisor_pid())));
  EXPECT_GT(seen.preempted, 0U);
  EXPECT_GE(usage(*child).cpu_ns, seen.cpu_ns);  // it never falls
  EXPECT_GT(seen.minor_faults, 100U);            // three shells have more pages than that
}

TEST_F(ProcessTreeTest, EndedChildrenAreCounted) {
  const auto child =
      start(shell("sh -c 'i=0; while [ $i -lt 80000 ]; do i=$((i+1)); done'; touch " +
                  (folder_ / "done").string() + "; exec sleep 600"));
  ASSERT_NE(child, nullptr);
  ASSERT_TRUE(eventually([&] { return std::filesystem::exists(folder_ / "done"); }));
  const TreeUsage seen = usage(*child);
  EXPECT_GE(seen.ended_cpu_ns, 10'000'000);  // 80,000 turns of a shell's loop take 30 ms and more
  EXPECT_GE(seen.cpu_ns, seen.ended_cpu_ns);
  EXPECT_GE(seen.user_s, 0.01);
}

TEST_F(ProcessTreeTest, OrphansThatEndedAreCountedAtTheSupervisor) {
  // Its parent ends first, so nobody but the subreaper can have waited for it.
  const auto child =
      start(shell("(sh -c 'i=0; while [ $i -lt 80000 ]; do i=$((i+1)); done' &) ; exec sleep 600"));
  ASSERT_NE(child, nullptr);
  EXPECT_TRUE(eventually([&] {
    const TreeUsage now = usage(*child);
    return now.processes == 1 && now.ended_cpu_ns >= 10'000'000;
  }));
}

TEST_F(ProcessTreeTest, AQuietTreeReadsTheSameTwice) {
  const auto child = start(shell("exec sleep 600"));
  ASSERT_NE(child, nullptr);
  // Once the program sleeps; the first reads may still see it start.
  EXPECT_TRUE(eventually([&] {
    const TreeUsage first = usage(*child);
    const TreeUsage second = usage(*child);
    return first.cpu_ns == second.cpu_ns && first.wakes == second.wakes && first.wakes > 0;
  }));
}

TEST_F(ProcessTreeTest, TreeNamesItsMembers) {
  const auto child = start(shell("exec sleep 600"));
  ASSERT_NE(child, nullptr);
  EXPECT_TRUE(eventually([&] {
    const auto tree = table_->tree(child->supervisor_pid());
    return tree && tree->size() == 1 && tree->front().name == "sleep" &&
           tree->front().pid == child->pid() && tree->front().parent == child->supervisor_pid() &&
           tree->front().start_ticks > 0;
  }));
}

TEST_F(ProcessTreeTest, ThreadsHaveTheirOwnCpu) {
  Command command = shell("while :; do :; done");
  const auto child = start(command);
  ASSERT_NE(child, nullptr);
  EXPECT_TRUE(eventually([&] {
    const auto threads = table_->threads(child->supervisor_pid());
    return threads && threads->size() == 1 && threads->front().tid == child->pid() &&
           threads->front().name == "sh" && threads->front().cpu_ns > 5'000'000;
  }));
}

TEST_F(ProcessTreeTest, ARootThatIsGoneIsAnError) {
  for (const ErrorKind kind :
       {table_->tree(kNoProcess).error().kind, table_->usage(kNoProcess).error().kind,
        table_->threads(kNoProcess).error().kind})
    EXPECT_EQ(kind, ErrorKind::kNotFound);
}

TEST_F(ProcessTreeTest, OwnsAListenerOnlyWithinTheTree) {
  std::uint16_t ours = 0;
  const Descriptor own = listening_socket(ours);
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  const pid_t server = ::fork();
  if (server == 0) {
    ::close(own.fd());
    std::uint16_t port = 0;
    const Descriptor socket = listening_socket(port);
    [[maybe_unused]] const ssize_t written = ::write(ends[1], &port, sizeof port);
    while (true) ::pause();
  }
  std::uint16_t theirs = 0;
  ASSERT_EQ(::read(ends[0], &theirs, sizeof theirs), static_cast<ssize_t>(sizeof theirs));
  EXPECT_EQ(table_->owns_listener(::getpid(), theirs), true);
  EXPECT_EQ(table_->owns_listener(::getpid(), ours), false);  // the root's own
  EXPECT_EQ(table_->owns_listener(server, theirs), false);    // has no descendants
  EXPECT_THAT(table_->listener_of(theirs), HasSubstr("pid " + std::to_string(server)));
  EXPECT_THAT(table_->listener_of(ours), HasSubstr("pid " + std::to_string(::getpid())));
  ::kill(server, SIGKILL);
  ::waitpid(server, nullptr, 0);
  EXPECT_EQ(table_->owns_listener(::getpid(), theirs), false);
  EXPECT_EQ(table_->listener_of(theirs), "");
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST(CpuTimes, OfARealAndAMissingCpu) {
  const auto first = cpu_times(allowed_cpus().front());
  ASSERT_TRUE(first);
  EXPECT_GT(first->busy() + first->idle, 0);
  EXPECT_TRUE(eventually([&] {
    const auto later = cpu_times(allowed_cpus().front());
    return later && later->busy() + later->idle + later->iowait + later->steal >
                        first->busy() + first->idle + first->iowait + first->steal;
  }));
  const auto missing = cpu_times(8000);
  ASSERT_FALSE(missing);
  EXPECT_THAT(missing.error().what, HasSubstr("CPU 8000"));
}

}  // namespace
}  // namespace hone::system
