#include "system/proc.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <algorithm>

namespace hone::system {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr const char* kFields =
    " S 7 12 12 0 -1 4194304 100 200 3 4 11 22 33 44 20 0 5 0 98765 1000 200 18446744073709551615";

TEST(ParseStat, ReadsTheFieldsOfProc5) {
  const auto stat = parse_stat("12 (nginx)" + std::string(kFields));
  ASSERT_TRUE(stat);
  EXPECT_EQ(stat->pid, 12);
  EXPECT_EQ(stat->name, "nginx");
  EXPECT_EQ(stat->state, 'S');
  EXPECT_EQ(stat->parent, 7);
  EXPECT_EQ(stat->minor_faults, 100U);
  EXPECT_EQ(stat->ended_minor_faults, 200U);
  EXPECT_EQ(stat->major_faults, 3U);
  EXPECT_EQ(stat->ended_major_faults, 4U);
  EXPECT_EQ(stat->user_ticks, 11U);
  EXPECT_EQ(stat->system_ticks, 22U);
  EXPECT_EQ(stat->ended_user_ticks, 33U);
  EXPECT_EQ(stat->ended_system_ticks, 44U);
  EXPECT_EQ(stat->threads, 5);
  EXPECT_EQ(stat->start_ticks, 98765U);
}

TEST(ParseStat, NamesMayHoldAnything) {
  for (const std::string& name :
       std::vector<std::string>{"a b", "x) S 1 2 3", "(", ")", ") R (", "", "tmux: server"}) {
    const auto stat = parse_stat("12 (" + name + ")" + kFields);
    ASSERT_TRUE(stat) << name;
    EXPECT_EQ(stat->name, name);
    EXPECT_EQ(stat->parent, 7) << name;
  }
}

TEST(ParseStat, RefusesWhatIsCut) {
  const std::string whole = "12 (nginx)" + std::string(kFields);
  for (const std::string& text : {std::string(), std::string("12"), std::string("12 (nginx"),
                                  std::string("(x) S 1"), whole.substr(0, 40), "x" + whole})
    EXPECT_FALSE(parse_stat(text)) << text;
}

TEST(ParseSwitches, TellsVoluntaryFromNonvoluntary) {
  // "nonvoluntary_ctxt_switches:" holds the other label as its tail.
  const auto switches =
      parse_switches("Name:\tx\nnonvoluntary_ctxt_switches:\t7\nvoluntary_ctxt_switches:\t123\n");
  ASSERT_TRUE(switches);
  EXPECT_EQ(switches->voluntary, 123U);
  EXPECT_EQ(switches->involuntary, 7U);
  EXPECT_FALSE(parse_switches("Name:\tx\n"));
  EXPECT_FALSE(parse_switches("voluntary_ctxt_switches:\tx\nnonvoluntary_ctxt_switches:\t1\n"));
}

TEST(ParseMigrations, FindsItsLineAmongOthers) {
  EXPECT_EQ(parse_migrations("cat (8358, #threads: 1)\n-----\nse.exec_start  :  1.5\n"
                             "se.nr_migrations                             :                   12\n"
                             "se.statistics.nr_migrations_cold   :   7\n"),
            12U);
  EXPECT_FALSE(parse_migrations("se.statistics.nr_migrations_cold : 7\n"));
  EXPECT_FALSE(parse_migrations("se.nr_migrations : many\n"));
  EXPECT_FALSE(parse_migrations("se.nr_migrations"));
}

TEST(ParseSchedstat, ReadsCpuAndDelay) {
  const auto stat = parse_schedstat("123456 789 10\n");
  ASSERT_TRUE(stat);
  EXPECT_EQ(stat->cpu_ns, 123456);
  EXPECT_EQ(stat->run_delay_ns, 789);
  EXPECT_FALSE(parse_schedstat("12"));
  EXPECT_FALSE(parse_schedstat(""));
}

TEST(ListeningInodes, OnlyListenersOnThePort) {
  constexpr const char* kTable =
      "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout "
      "inode\n"
      "   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 "
      "111 1 0000 100 0 0 10 0\n"
      "   1: 0100007F:1F90 0100007F:C000 01 00000000:00000000 00:00000000 00000000     0        0 "
      "222 1 0000 20 4 30 10 -1\n"
      "   2: 00000000:1F91 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 "
      "333 1 0000 100 0 0 10 0\n"
      "   3: 00000000000000000000000001000000:1F90 00000000000000000000000000000000:0000 0A "
      "00000000:00000000 00:00000000 00000000 0 0 444 1 0000 100 0 0 10 0\n"
      "   4: broken\n";
  EXPECT_THAT(listening_inodes(kTable, 8080), ElementsAre(111, 444));
  EXPECT_THAT(listening_inodes(kTable, 8082), IsEmpty());
  EXPECT_THAT(listening_inodes("", 8080), IsEmpty());
}

TEST(SocketInode, OnlySockets) {
  EXPECT_EQ(socket_inode("socket:[4711]"), 4711U);
  for (const char* link : {"pipe:[4711]", "socket:[]", "socket:[x]", "socket:[1", "/dev/null", ""})
    EXPECT_FALSE(socket_inode(link)) << link;
}

TEST(ParseCpuTimes, FindsItsOwnLine) {
  constexpr const char* kText =
      "cpu  9 9 9 9 9 9 9 9 9 9\ncpu1 100 200 300 400 500 600 700 800 0 0\n"
      "cpu11 1 1 1 1 1 1 1 1 0 0\nintr 5\n";
  const auto times = parse_cpu_times(kText, 1, 100);
  ASSERT_TRUE(times);
  EXPECT_DOUBLE_EQ(times->user, 1);
  EXPECT_DOUBLE_EQ(times->nice, 2);
  EXPECT_DOUBLE_EQ(times->system, 3);
  EXPECT_DOUBLE_EQ(times->idle, 4);
  EXPECT_DOUBLE_EQ(times->iowait, 5);
  EXPECT_DOUBLE_EQ(times->irq, 6);
  EXPECT_DOUBLE_EQ(times->softirq, 7);
  EXPECT_DOUBLE_EQ(times->steal, 8);
  EXPECT_DOUBLE_EQ(times->busy(), 19);
  EXPECT_FALSE(parse_cpu_times(kText, 2, 100));
}

ProcStat process(pid_t pid, pid_t parent) {
  ProcStat stat;
  stat.pid = pid;
  stat.parent = parent;
  return stat;
}

std::vector<pid_t> pids_below(const std::vector<ProcStat>& all, pid_t root) {
  std::vector<pid_t> pids;
  for (const ProcStat& one : descendants(all, root)) pids.push_back(one.pid);
  std::sort(pids.begin(), pids.end());
  return pids;
}

TEST(Descendants, WithoutTheRootAndOfAllDepths) {
  const std::vector<ProcStat> all = {process(1, 0), process(5, 1), process(6, 5),
                                     process(7, 6), process(8, 1), process(4, 7)};
  EXPECT_THAT(pids_below(all, 5), ElementsAre(4, 6, 7));
  EXPECT_THAT(pids_below(all, 4), IsEmpty());
  EXPECT_THAT(pids_below(all, 99), IsEmpty());
}

TEST(Descendants, AnInconsistentScanEnds) {
  // Pids used again during the scan can make two processes each other's parent.
  EXPECT_THAT(pids_below({process(5, 6), process(6, 5)}, 5), ElementsAre(6));
  EXPECT_LE(pids_below({process(5, 1), process(6, 7), process(7, 6)}, 6).size(), 3U);
}

TEST(AllProcesses, HoldsThisOne) {
  const std::vector<ProcStat> all = all_processes();
  const auto self = std::find_if(all.begin(), all.end(),
                                 [](const ProcStat& one) { return one.pid == ::getpid(); });
  ASSERT_NE(self, all.end());
  EXPECT_EQ(self->parent, ::getppid());
  EXPECT_EQ(self->state, 'R');
}

}  // namespace
}  // namespace hone::system
