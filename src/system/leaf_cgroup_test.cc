#include "system/leaf_cgroup.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "system/real.h"
#include "system/shell_fixture.h"
#include "system/temporary_folder.h"
#include "system/waiting.h"

namespace hone::system {
namespace {

using testing::HasSubstr;

// Hierarchies as they are mounted elsewhere, below a folder of the test's own.
class CountingGroupTest : public testing::Test {
 protected:
  void mount(const std::string& type, const std::string& name, const std::string& options) {
    std::filesystem::create_directories(root_ / name / "a");
    mountinfo_ +=
        "31 23 0:28 / " + (root_ / name).string() + " rw - " + type + " none rw," + options + "\n";
  }
  void write(const std::string& path, const std::string& text) {
    std::ofstream(root_ / path) << text;
  }
  Result<CountingGroup> group() const { return counting_group(parse_cgroups(groups_, mountinfo_)); }

  TemporaryFolder folder_;
  Path root_ = folder_.path();
  std::string groups_, mountinfo_;
};

TEST_F(CountingGroupTest, Version2WhereTheCpuControllerIsOffBelow) {
  groups_ = "0::/a\n";
  mount("cgroup2", "v2", "nsdelegate");
  write("v2/a/cgroup.subtree_control", "memory pids\n");
  const auto found = group();
  ASSERT_TRUE(found) << describe(found.error());
  EXPECT_EQ(found->version, 2);
  EXPECT_EQ(found->folder, root_ / "v2/a");
}

TEST_F(CountingGroupTest, AGroupThatWouldBeScheduledApartIsNotUsed) {
  groups_ = "0::/a\n";
  mount("cgroup2", "v2", "nsdelegate");
  write("v2/a/cgroup.subtree_control", "cpuset cpu memory\n");
  EXPECT_THAT(group().error().what,
              testing::AllOf(HasSubstr("not used: "), HasSubstr("idle spinner")));
  groups_ = "2:cpu,cpuacct:/a\n";
  mountinfo_.clear();
  mount("cgroup", "cpu,cpuacct", "cpu,cpuacct");
  EXPECT_THAT(group().error().what, HasSubstr("together with cpu"));
}

TEST_F(CountingGroupTest, Version1WhereAccountingIsMountedApart) {
  groups_ = "3:cpuacct:/a\n2:cpu:/a\n1:name=systemd:/a\n";
  for (const char* name : {"cpuacct", "cpu", "name=systemd"}) mount("cgroup", name, name);
  const auto found = group();
  ASSERT_TRUE(found) << describe(found.error());
  EXPECT_EQ(found->version, 1);
  EXPECT_EQ(found->folder, root_ / "cpuacct/a");
}

TEST_F(CountingGroupTest, HybridCountsInVersion2ElseInVersion1) {
  groups_ = "3:cpuacct:/a\n2:cpu:/a\n0::/a\n";
  mount("cgroup", "cpu", "cpu");
  mount("cgroup", "cpuacct", "cpuacct");
  mount("cgroup2", "unified", "nsdelegate");
  EXPECT_EQ(group()->folder, root_ / "unified/a");
  write("unified/a/cgroup.subtree_control", "cpu");
  EXPECT_EQ(group()->folder, root_ / "cpuacct/a");
}

TEST_F(CountingGroupTest, NoHierarchyIsAReason) {
  EXPECT_THAT(group().error().what, HasSubstr("no hierarchy"));
  groups_ = "0::/gone\n";
  mount("cgroup2", "v2", "nsdelegate");
  EXPECT_THAT(group().error().what, HasSubstr("may not make a control group"));
}

TEST_F(CountingGroupTest, CpuIsReadInNanosecondsFromEitherVersion) {
  std::filesystem::create_directories(root_ / "hone-7");
  write("hone-7/cpu.stat", "usage_usec 1250\nuser_usec 1000\nsystem_usec 250\n");
  write("hone-7/cpuacct.usage", "1250999\n");
  EXPECT_EQ(LeafCgroup({2, root_}, 7).cpu_ns(), 1'250'000);
  EXPECT_EQ(LeafCgroup({1, root_}, 7).cpu_ns(), 1'250'999);
  EXPECT_EQ(LeafCgroup({2, root_}, 8).cpu_ns(), std::nullopt);
}

// In the groups of this machine, where they may be written.
class LeafCgroupTest : public testing::Test {
 protected:
  void SetUp() override {
    group_ = own_counting_group();
    if (!group_) GTEST_SKIP() << group_.error().what;
  }
  Path leaf_of(const Child& child) const {
    return LeafCgroup(*group_, child.supervisor_pid()).folder();
  }

  Result<CountingGroup> group_;
  std::unique_ptr<Processes> processes_ = real_processes();
  std::unique_ptr<ProcessTable> table_ = real_process_table();
};

// Started by a shell that waits for nobody and orphans it at once; it ends before anyone looks.
TEST_F(LeafCgroupTest, CountsADaemonThatLivedAndDied) {
  Command command = shell(
      "(sh -c 'i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done' &) & sleep 0.5; exec sleep 60");
  command.own_cgroup = true;
  auto child = processes_->start(command);
  ASSERT_TRUE(child) << describe(child.error());
  const auto usage = [&] { return table_->usage((*child)->supervisor_pid()); };
  EXPECT_TRUE(eventually([&] {
    const auto now = usage();
    return now && now->processes == 1 && now->ended_cpu_ns > 0;
  }));
  const auto after = usage();
  ASSERT_TRUE(after);
  ASSERT_TRUE(after->cgroup_cpu_ns) << after->no_cgroup;
  // The tree's figure has whole ticks of 10 ms of it, rounded down for user and system each.
  EXPECT_GT(*after->cgroup_cpu_ns, 5'000'000);
  EXPECT_NEAR(static_cast<double>(*after->cgroup_cpu_ns), static_cast<double>(after->cpu_ns), 25e6);
  const Path leaf = leaf_of(**child);
  EXPECT_TRUE(std::filesystem::exists(leaf));
  (*child)->end();
  EXPECT_FALSE(std::filesystem::exists(leaf));
}

// With SIGCHLD ignored the kernel adds a child's time to nobody's.
TEST_F(LeafCgroupTest, CountsChildrenThatNobodyWaitsFor) {
  Command command;
  command.argv = {"python3", "-c",
                  "import os,signal,time\n"
                  "signal.signal(signal.SIGCHLD, signal.SIG_IGN)\n"
                  "if os.fork() == 0:\n"
                  "  end = time.process_time() + 0.1\n"
                  "  while time.process_time() < end: pass\n"
                  "  os._exit(0)\n"
                  "time.sleep(60)\n"};
  command.own_cgroup = true;
  if (!processes_->find_program("python3")) GTEST_SKIP() << "python3 is missing";
  auto child = processes_->start(command);
  ASSERT_TRUE(child) << describe(child.error());
  TreeUsage seen;
  EXPECT_TRUE(eventually([&] {
    seen = table_->usage((*child)->supervisor_pid()).value_or(TreeUsage{});
    return seen.processes == 1 && seen.cgroup_cpu_ns.value_or(0) - seen.cpu_ns > 95'000'000;
  })) << seen.cgroup_cpu_ns.value_or(0)
      << " " << seen.cpu_ns;
}

TEST_F(LeafCgroupTest, WhatAKilledSupervisorLeavesIsTakenAwayByTheNext) {
  Command command = shell("exec sleep 60");
  command.own_cgroup = true;
  auto child = processes_->start(command);
  ASSERT_TRUE(child) << describe(child.error());
  const Path leaf = leaf_of(**child);
  ASSERT_TRUE(std::filesystem::exists(leaf));
  ::kill((*child)->supervisor_pid(), SIGKILL);
  EXPECT_TRUE(eventually([&] { return (*child)->exited().has_value(); }));
  child->reset();  // the supervisor's pid is free now
  EXPECT_TRUE(std::filesystem::exists(leaf));
  EXPECT_TRUE(eventually([&] {
    auto next = processes_->start(command);  // once the killed command has left the group
    return next && !std::filesystem::exists(leaf);
  }));
}

TEST_F(LeafCgroupTest, CommandsThatAskForNoneHaveNone) {
  auto child = processes_->start(shell("exec sleep 60"));
  ASSERT_TRUE(child);
  EXPECT_FALSE(std::filesystem::exists(leaf_of(**child)));
  const auto usage = table_->usage((*child)->supervisor_pid());
  ASSERT_TRUE(usage);
  EXPECT_FALSE(usage->cgroup_cpu_ns);
  EXPECT_THAT(usage->no_cgroup, HasSubstr("not used"));
}

}  // namespace
}  // namespace hone::system
