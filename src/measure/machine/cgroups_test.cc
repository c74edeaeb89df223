#include "measure/machine/cgroups.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "measure/machine/checks.h"
#include "measure/machine/fake_files.h"

namespace hone::measure {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::string> texts(const std::vector<system::Path>& paths) {
  return {paths.begin(), paths.end()};
}

class Cgroups : public testing::Test {
 protected:
  // As Debian 12 and most distributions since 2021.
  void version_2() {
    files_.put("/proc/self/cgroup", "0::/user.slice/job.scope\n");
    files_.put("/proc/self/mountinfo",
               "23 28 0:21 / /proc rw,nosuid shared:12 - proc proc rw\n"
               "29 23 0:26 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate\n");
  }
  // Version 1 with controllers mounted together, version 2 without controllers under "unified".
  void hybrid() {
    files_.put("/proc/self/cgroup",
               "5:memory:/elsewhere\n3:cpu,cpuacct:/batch/a:b\n1:name=systemd:/x\n0::/batch\n");
    files_.put(
        "/proc/self/mountinfo",
        "40 31 0:29 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
        "41 31 0:30 / /sys/fs/cgroup/cpu,cpuacct rw shared:3 - cgroup cgroup rw,cpu,cpuacct\n"
        "42 31 0:38 / /sys/fs/cgroup/unified rw shared:4 - cgroup2 cgroup2 rw\n");
  }

  FakeFiles files_;
};

TEST_F(Cgroups, version_2_shows_own_group_and_every_ancestor) {
  version_2();
  EXPECT_THAT(texts(cpu_cgroups(files_)),
              ElementsAre("/sys/fs/cgroup/user.slice/job.scope", "/sys/fs/cgroup/user.slice",
                          "/sys/fs/cgroup"));
}

TEST_F(Cgroups, hybrid_shows_both_versions) {
  hybrid();
  EXPECT_THAT(texts(cpu_cgroups(files_)),
              ElementsAre("/sys/fs/cgroup/cpu,cpuacct/batch/a:b",
                          "/sys/fs/cgroup/cpu,cpuacct/batch", "/sys/fs/cgroup/cpu,cpuacct",
                          "/sys/fs/cgroup/unified/batch", "/sys/fs/cgroup/unified"));
}

// Docker without a cgroup namespace: the mount shows the container's group at its top.
TEST_F(Cgroups, a_container_sees_its_own_group_at_the_mount) {
  files_.put("/proc/self/cgroup", "3:cpu:/docker/abc/inner\n");
  files_.put("/proc/self/mountinfo",
             "41 31 0:30 /docker/abc /sys/fs/cgroup/cpu ro - cgroup cgroup rw,cpu\n");
  EXPECT_THAT(texts(cpu_cgroups(files_)),
              ElementsAre("/sys/fs/cgroup/cpu/inner", "/sys/fs/cgroup/cpu"));
  files_.put("/proc/self/cgroup", "3:cpu:/docker/abc\n");
  EXPECT_THAT(texts(cpu_cgroups(files_)), ElementsAre("/sys/fs/cgroup/cpu"));
}

TEST_F(Cgroups, a_mount_point_with_a_space_is_read) {
  files_.put("/proc/self/cgroup", "0::/\n");
  files_.put("/proc/self/mountinfo", "29 23 0:26 / /my\\040groups rw - cgroup2 cgroup2 rw\n");
  EXPECT_THAT(texts(cpu_cgroups(files_)), ElementsAre("/my groups"));
}

TEST_F(Cgroups, without_cgroups_there_is_nothing) {
  EXPECT_TRUE(cpu_cgroups(files_).empty());
  EXPECT_FALSE(cpu_quota(files_));
  EXPECT_EQ(throttled_s(files_), 0);
  files_.put("/proc/self/cgroup", "nonsense\n:\n0::/a\n");
  files_.put("/proc/self/mountinfo", "short line\n1 2 3 4 5 6 - cgroup2\n");
  EXPECT_TRUE(cpu_cgroups(files_).empty());
}

TEST_F(Cgroups, the_tightest_quota_of_all_ancestors_counts) {
  version_2();
  files_.put("/sys/fs/cgroup/user.slice/job.scope/cpu.max", "max 100000\n");
  EXPECT_FALSE(cpu_quota(files_));
  files_.put("/sys/fs/cgroup/user.slice/cpu.max", "150000 100000\n");
  ASSERT_TRUE(cpu_quota(files_));
  EXPECT_DOUBLE_EQ(cpu_quota(files_)->cpus, 1.5);
  files_.put("/sys/fs/cgroup/user.slice/job.scope/cpu.max", "400000 100000\n");
  EXPECT_EQ(cpu_quota(files_)->cgroup, "/sys/fs/cgroup/user.slice");
}

TEST_F(Cgroups, version_1_quota_is_in_two_files) {
  hybrid();
  files_.put("/sys/fs/cgroup/cpu,cpuacct/batch/cpu.cfs_quota_us", "-1\n");
  files_.put("/sys/fs/cgroup/cpu,cpuacct/batch/cpu.cfs_period_us", "100000\n");
  EXPECT_FALSE(cpu_quota(files_));
  files_.put("/sys/fs/cgroup/cpu,cpuacct/batch/cpu.cfs_quota_us", "50000\n");
  ASSERT_TRUE(cpu_quota(files_));
  EXPECT_DOUBLE_EQ(cpu_quota(files_)->cpus, 0.5);
}

TEST_F(Cgroups, throttled_time_is_summed_in_both_units) {
  hybrid();
  files_.put("/sys/fs/cgroup/cpu,cpuacct/batch/a:b/cpu.stat",
             "nr_periods 10\nnr_throttled 2\nthrottled_time 250000000\n");
  files_.put("/sys/fs/cgroup/cpu,cpuacct/cpu.stat", "nr_periods 0\nthrottled_time 500000000\n");
  files_.put("/sys/fs/cgroup/unified/batch/cpu.stat", "usage_usec 5\nthrottled_usec 125000\n");
  EXPECT_DOUBLE_EQ(throttled_s(files_), 0.875);
}

TEST_F(Cgroups, a_quota_below_the_cpus_used_is_serious) {
  version_2();
  const CpuRoles roles{{0}, {1}};
  EXPECT_FALSE(check_cgroup_quota(files_, roles));
  files_.put("/sys/fs/cgroup/cpu.max", "150000 100000\n");
  files_.put("/sys/fs/cgroup/cpu.stat", "throttled_usec 2500000\n");
  const auto serious = check_cgroup_quota(files_, roles);
  ASSERT_TRUE(serious);
  EXPECT_EQ(serious->id, "machine.cgroup-quota");
  EXPECT_EQ(serious->severity, "serious");
  EXPECT_EQ(
      serious->text,
      "/sys/fs/cgroup limits hone to the time of 1.5 CPUs; it uses 2, and was stopped for 2.5 s "
      "so far");
  files_.put("/sys/fs/cgroup/cpu.max", "300000 100000\n");
  EXPECT_EQ(check_cgroup_quota(files_, roles)->severity, "warning");
}

}  // namespace
}  // namespace hone::measure
