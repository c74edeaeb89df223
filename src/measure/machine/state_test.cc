#include "measure/machine/state.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "measure/machine/fake_files.h"
#include "system/fake_clock.h"

namespace hone::measure {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

const CpuRoles kCpus{{0}, {1}};

class State : public testing::Test {
 protected:
  MachineMoment read() { return read_moment(files_, clock_, kCpus); }

  FakeFiles files_;
  system::FakeClock clock_;
};

TEST_F(State, settings_are_what_the_machine_tells) {
  EXPECT_TRUE(read_settings(files_, kCpus).empty());
  files_.put("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "performance\n");
  files_.put("/sys/devices/system/cpu/cpu1/cpufreq/scaling_governor", "powersave\n");
  files_.put("/sys/devices/system/cpu/intel_pstate/no_turbo", "1\n");
  files_.put("/sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n");
  files_.put("/proc/sys/kernel/randomize_va_space", "2\n");
  files_.put("/proc/self/cgroup", "0::/job\n");
  files_.put("/proc/self/mountinfo", "29 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
  files_.put("/sys/fs/cgroup/job/cpu.max", "150000 100000\n");
  EXPECT_THAT(read_settings(files_, kCpus),
              ElementsAre(Pair("aslr", "2"), Pair("cpu_quota", "1.50 CPUs (/sys/fs/cgroup/job)"),
                          Pair("governor", "performance, powersave"), Pair("huge_pages", "madvise"),
                          Pair("turbo", "off")));
}

TEST_F(State, is_what_happened_from_the_first_moment_to_the_last) {
  files_.put("/proc/interrupts", {"  CPU0 CPU1\n 5: 10 99 edge eth0\nRES: 7 0\n",
                                  "  CPU0 CPU1\n 5: 20 99 edge eth0\nRES: 7 0\n",
                                  "  CPU0 CPU1\n 5: 50 99 edge eth0\nRES: 8 0\n"});
  files_.put("/sys/devices/system/cpu/cpu0/thermal_throttle/core_throttle_count", {"3", "3", "5"});
  files_.put("/proc/vmstat", {"pswpin 1\npswpout 2\npgfault 9\n", "pswpin 1\npswpout 2\n",
                              "pswpin 4\npswpout 2\n"});
  files_.put("/sys/class/thermal/thermal_zone0/temp", {"41000", "67500", "50000"});
  files_.put("/sys/class/thermal/thermal_zone1/temp", "39000");
  files_.put("/sys/class/thermal/cooling_device0/temp", "99000");
  files_.put("/proc/sys/kernel/randomize_va_space", {"2", "0", "2"});
  std::vector<MachineMoment> moments = {read()};
  clock_.sleep(system::seconds(2));
  moments.push_back(read());
  clock_.sleep(system::seconds(3));
  moments.push_back(read());
  const MachineState state = state_over(moments);
  EXPECT_DOUBLE_EQ(state.wall_s, 5);
  EXPECT_THAT(state.devices, ElementsAre(Pair("eth0", 40)));  // of the server's CPU alone
  EXPECT_THAT(state.kernel, ElementsAre(Pair("RES", 1)));
  EXPECT_EQ(state.thermal_throttles, 2u);
  EXPECT_EQ(state.swapped_pages, 3u);
  EXPECT_EQ(state.hottest_c, 67.5);
  EXPECT_THAT(state.settings, ElementsAre(Pair("aslr", "2, then 0, then 2")));
}

TEST_F(State, of_a_machine_that_tells_nothing_is_empty) {
  const MachineState state = state_over({read(), read()});
  EXPECT_TRUE(state.devices.empty());
  EXPECT_FALSE(state.hottest_c);
  EXPECT_TRUE(state.settings.empty());
  EXPECT_TRUE(state_findings({state, state}, kCpus).empty());
  EXPECT_EQ(state_over({}).wall_s, 0);
}

TEST_F(State, survives_json) {
  MachineState state;
  state.wall_s = 3;
  state.devices = {{"eth0", 4}};
  state.settings = {{"aslr", "2"}};
  const Json json = state;
  EXPECT_TRUE(json["hottest_c"].is_null());
  const MachineState back = json.get<MachineState>();
  EXPECT_EQ(back.devices, state.devices);
  EXPECT_EQ(back.settings, state.settings);
}

MachineState quiet() {
  MachineState state;
  state.wall_s = 10;
  state.settings = {{"aslr", "2"}, {"governor", "performance"}};
  return state;
}

TEST(StateFindings, a_setting_that_differs_between_rounds_or_within_one_is_told) {
  EXPECT_TRUE(state_findings({quiet(), quiet()}, kCpus).empty());
  MachineState other = quiet();
  other.settings["governor"] = "powersave";
  auto findings = state_findings({quiet(), other, quiet()}, kCpus);
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].id, "machine.changed");
  EXPECT_THAT(findings[0].text, HasSubstr("(governor: performance; powersave)"));
  other.settings["governor"] = "performance, then powersave";
  findings = state_findings({other, other}, kCpus);
  ASSERT_EQ(findings.size(), 1u);
}

TEST(StateFindings, the_worst_round_speaks_for_interrupts) {
  MachineState busy = quiet();
  busy.devices = {{"eth0", 1500}};
  MachineState busier = quiet();
  busier.devices = {{"nvme0q1", 3000}, {"eth0", 10}};
  const auto findings = state_findings({quiet(), busy, busier}, kCpus);
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].id, "machine.interrupts");
  EXPECT_THAT(findings[0].text, HasSubstr("in 2 of 3 rounds, the server's CPUs (0) serve 301"));
  EXPECT_THAT(findings[0].text, HasSubstr("nvme0q1's"));
}

TEST(StateFindings, throttling_and_swapping_are_added_up) {
  MachineState hot = quiet();
  hot.thermal_throttles = 2;
  MachineState full = hot;
  full.swapped_pages = 30;
  const auto findings = state_findings({hot, full, quiet()}, kCpus);
  ASSERT_EQ(findings.size(), 2u);
  EXPECT_THAT(findings[0].text, HasSubstr("temperature 4 times during rounds"));
  EXPECT_THAT(findings[1].text, HasSubstr("30 pages"));
  for (const Finding& finding : findings) EXPECT_FALSE(finding.advice.empty());
}

}  // namespace
}  // namespace hone::measure
