#include "measure/machine/checks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "measure/machine/fake_files.h"
#include "measure/machine/kernel_files.h"

namespace hone::measure {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const CpuRoles kRoles{{0}, {1}};

// Ticks of two CPUs: busy (as user time), idle and stolen.
std::string proc_stat(int busy0, int idle0, int steal0, int busy1, int idle1, int steal1) {
  const auto line = [](const std::string& name, int busy, int idle, int steal) {
    return name + " " + std::to_string(busy) + " 0 0 " + std::to_string(idle) + " 0 0 0 " +
           std::to_string(steal) + " 0 0\n";
  };
  return line("cpu ", busy0 + busy1, idle0 + idle1, steal0 + steal1) +
         line("cpu0", busy0, idle0, steal0) + line("cpu1", busy1, idle1, steal1) +
         "intr 1 2 3\nctxt 99\n";
}

TEST(KernelFiles, chosen_value_stands_in_brackets) {
  EXPECT_EQ(chosen("always [madvise] never"), "madvise");
  EXPECT_EQ(chosen("plain"), "plain");
  EXPECT_EQ(chosen("] odd ["), "] odd [");
}

TEST(KernelFiles, proc_stat_leaves_out_the_sum_and_guest_time) {
  FakeFiles files;
  EXPECT_TRUE(ticks_by_cpu(files).empty());
  files.put("/proc/stat",
            "cpu  9 9 9 9 9 9 9 9 9 9\ncpu3 1 2 4 100 50 8 16 32 1000 1000\nctxt 5\n");
  const auto cpus = ticks_by_cpu(files);
  ASSERT_EQ(cpus.size(), 1u);
  EXPECT_EQ(cpus.at(3).busy, 31);
  EXPECT_EQ(cpus.at(3).idle, 150);
  EXPECT_EQ(cpus.at(3).steal, 32);
}

TEST(CheckCpuCount, two_cpus_of_their_own_are_well) {
  EXPECT_THAT((CpuRoles{{2, 0}, {1, 2}}.all()), ElementsAre(0, 1, 2));
  EXPECT_FALSE(check_cpu_count(kRoles));
  EXPECT_FALSE(check_cpu_count({{0, 1}, {2}}));
}

TEST(CheckCpuCount, one_cpu_is_serious) {
  const auto finding = check_cpu_count({{0}, {0}});
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->id, "machine.cpu-count");
  EXPECT_EQ(finding->severity, "serious");
  EXPECT_THAT(finding->text, HasSubstr("may use 1 CPU;"));
}

TEST(CheckCpuCount, a_shared_cpu_is_serious) {
  const auto finding = check_cpu_count({{0, 1}, {1, 2}});
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->id, "machine.cpu-shared");
  EXPECT_EQ(finding->text, "server and load share CPU 1");
}

TEST(CheckSteal, half_a_percent_is_the_limit) {
  FakeFiles files;
  EXPECT_FALSE(check_steal(files, kRoles));
  files.put("/proc/stat", proc_stat(5000, 4950, 50, 5000, 4950, 50));
  EXPECT_FALSE(check_steal(files, kRoles));
  files.put("/proc/stat", proc_stat(5000, 4900, 100, 5000, 4900, 100));
  const auto finding = check_steal(files, kRoles);
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->severity, "warning");
  EXPECT_THAT(finding->text, HasSubstr("1.00 %"));
}

TEST(CheckSteal, other_cpus_do_not_count) {
  FakeFiles files;
  files.put("/proc/stat", proc_stat(5000, 5000, 0, 0, 0, 5000));
  EXPECT_FALSE(check_steal(files, {{0}, {0}}));
  EXPECT_TRUE(check_steal(files, kRoles));
}

TEST(CheckOtherLoad, sees_what_runs_while_hone_is_idle) {
  const auto ticks = [](const std::string& text) {
    FakeFiles files;
    files.put("/proc/stat", text);
    return ticks_by_cpu(files);
  };
  EXPECT_FALSE(check_other_load({}, {}, kRoles));
  const auto before = ticks(proc_stat(900, 100, 0, 900, 100, 0));
  // Two ticks of fifty are chance.
  EXPECT_FALSE(check_other_load(before, ticks(proc_stat(902, 148, 0, 901, 149, 0)), kRoles));
  const auto after = ticks(proc_stat(901, 149, 0, 920, 130, 0));
  const auto finding = check_other_load(before, after, kRoles);
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->id, "machine.other-load");
  EXPECT_EQ(finding->text, "CPU 1 was 40 % busy with something else while hone was idle");
  EXPECT_FALSE(check_other_load(before, after, {{0}, {0}}));  // other CPUs do not matter
}

TEST(CheckGovernor, performance_or_none_is_well) {
  FakeFiles files;
  EXPECT_FALSE(check_governor(files, kRoles));
  files.put("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "performance\n");
  files.put("/sys/devices/system/cpu/cpu1/cpufreq/scaling_governor", "performance\n");
  EXPECT_FALSE(check_governor(files, kRoles));
  files.put("/sys/devices/system/cpu/cpu1/cpufreq/scaling_governor", "schedutil\n");
  const auto finding = check_governor(files, kRoles);
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->severity, "warning");
  EXPECT_EQ(finding->text, "CPU 1 changes its clock with the load (governor schedutil)");
  EXPECT_FALSE(check_governor(files, {{0}, {}}));
}

TEST(CheckTurbo, is_known_by_two_files) {
  FakeFiles files;
  EXPECT_FALSE(check_turbo(files));
  files.put("/sys/devices/system/cpu/intel_pstate/no_turbo", "1\n");
  EXPECT_FALSE(check_turbo(files));
  files.put("/sys/devices/system/cpu/intel_pstate/no_turbo", "0\n");
  ASSERT_TRUE(check_turbo(files));
  EXPECT_EQ(check_turbo(files)->advice, "echo 1 > /sys/devices/system/cpu/intel_pstate/no_turbo");
  files.remove("/sys/devices/system/cpu/intel_pstate/no_turbo");
  files.put("/sys/devices/system/cpu/cpufreq/boost", "0\n");
  EXPECT_FALSE(check_turbo(files));
  files.put("/sys/devices/system/cpu/cpufreq/boost", "1\n");
  ASSERT_TRUE(check_turbo(files));
  EXPECT_EQ(check_turbo(files)->advice, "echo 0 > /sys/devices/system/cpu/cpufreq/boost");
}

TEST(CheckSmt, siblings_in_use_are_worse_than_free_ones) {
  FakeFiles files;
  EXPECT_FALSE(check_smt(files, kRoles));
  files.put("/sys/devices/system/cpu/cpu0/topology/thread_siblings_list", "0\n");
  files.put("/sys/devices/system/cpu/cpu2/topology/thread_siblings_list", "2-3\n");
  EXPECT_FALSE(check_smt(files, kRoles));
  files.put("/sys/devices/system/cpu/cpu0/topology/thread_siblings_list", "0,4\n");
  auto finding = check_smt(files, kRoles);
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->severity, "info");
  EXPECT_THAT(finding->advice, HasSubstr("/sys/devices/system/cpu/cpu4/online"));
  finding = check_smt(files, {{0, 2}, {3}});  // a used sibling counts though a free one came first
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->severity, "warning");
  EXPECT_THAT(finding->text, HasSubstr("CPUs 2 and 3 are threads of one core"));
}

TEST(CheckSmt, a_list_that_cannot_be_read_is_no_finding) {
  FakeFiles files;
  files.put("/sys/devices/system/cpu/cpu0/topology/thread_siblings_list", "none\n");
  EXPECT_FALSE(check_smt(files, kRoles));
}

TEST(CheckThermalThrottling, any_count_is_a_warning) {
  FakeFiles files;
  EXPECT_FALSE(check_thermal_throttling(files, kRoles));
  files.put("/sys/devices/system/cpu/cpu0/thermal_throttle/core_throttle_count", "0\n");
  EXPECT_FALSE(check_thermal_throttling(files, kRoles));
  files.put("/sys/devices/system/cpu/cpu1/thermal_throttle/package_throttle_count", "1234\n");
  const auto finding = check_thermal_throttling(files, kRoles);
  ASSERT_TRUE(finding);
  EXPECT_THAT(finding->text, HasSubstr("1,234 times"));
}

TEST(CheckClocksource, slow_ones_are_named) {
  FakeFiles files;
  const std::string path = "/sys/devices/system/clocksource/clocksource0/current_clocksource";
  EXPECT_FALSE(check_clocksource(files));
  for (const char* fast : {"tsc", "kvm-clock", "hyperv_clocksource_tsc_page", "arch_sys_counter"}) {
    files.put(path, std::string(fast) + "\n");
    EXPECT_FALSE(check_clocksource(files)) << fast;
  }
  files.put(path, "acpi_pm\n");
  ASSERT_TRUE(check_clocksource(files));
  EXPECT_THAT(check_clocksource(files)->text, HasSubstr("acpi_pm"));
}

TEST(CheckSwap, only_used_swap_matters) {
  FakeFiles files;
  EXPECT_FALSE(check_swap(files));
  const std::string heading = "Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority\n";
  files.put("/proc/swaps", heading);
  EXPECT_FALSE(check_swap(files));
  files.put("/proc/swaps", heading + "/dev/vda3 partition 8388604 0 -2\n");
  EXPECT_FALSE(check_swap(files));
  files.put("/proc/swaps",
            heading + "/dev/vda3 partition 8388604 1024 -2\n/swap file 900 1024 -3\n");
  ASSERT_TRUE(check_swap(files));
  EXPECT_EQ(check_swap(files)->text, "2.0 MiB are swapped out");
}

TEST(CheckHugePages, always_is_noise) {
  FakeFiles files;
  EXPECT_FALSE(check_huge_pages(files));
  files.put("/sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n");
  EXPECT_FALSE(check_huge_pages(files));
  files.put("/sys/kernel/mm/transparent_hugepage/enabled", "[always] madvise never\n");
  ASSERT_TRUE(check_huge_pages(files));
  EXPECT_EQ(check_huge_pages(files)->severity, "info");
}

TEST(CheckAslr, off_is_one_draw_for_all_rounds) {
  FakeFiles files;
  EXPECT_FALSE(check_aslr(files));
  files.put("/proc/sys/kernel/randomize_va_space", "2\n");
  EXPECT_FALSE(check_aslr(files));
  files.put("/proc/sys/kernel/randomize_va_space", "0\n");
  ASSERT_TRUE(check_aslr(files));
  EXPECT_EQ(check_aslr(files)->severity, "warning");
}

// Answers by table, and notes what was asked for.
struct FakeCores {
  std::vector<std::pair<int, int>> shared;
  std::vector<std::pair<int, int>> asked = {};
  double asked_s = 0;

  SpeedBeside probe() {
    return [this](int cpu, int other, system::Duration limit) -> Result<double> {
      asked.emplace_back(cpu, other);
      asked_s += system::to_seconds(limit);
      const bool found =
          std::find(shared.begin(), shared.end(), std::pair(cpu, other)) != shared.end();
      return found ? 0.55 : 0.98;
    };
  }
};

TEST(CheckHiddenSmt, two_cpus_that_slow_each_other_are_threads_of_one_core) {
  FakeFiles files;
  files.put("/sys/hypervisor/type", "xen\n");
  FakeCores cores{{{1, 2}}};
  const auto pairs = probe_cores(files, {{1, 2}, {0}}, cores.probe());
  EXPECT_THAT(cores.asked, ElementsAre(std::pair(1, 0), std::pair(2, 0), std::pair(1, 2)));
  EXPECT_NEAR(cores.asked_s, 0.3, 1e-6);
  ASSERT_EQ(pairs.size(), 3u);
  EXPECT_EQ(pairs[0].speed, 0.98);
  const auto finding = check_hidden_smt(pairs);
  ASSERT_TRUE(finding);
  EXPECT_THAT(finding->text, HasSubstr("CPUs 1 and 2 are threads of one core"));
  EXPECT_THAT(finding->text, HasSubstr("0.55 of their speed"));
}

TEST(CheckHiddenSmt, cores_of_their_own_are_well) {
  FakeFiles files;
  files.put("/sys/hypervisor/type", "xen\n");
  FakeCores cores;
  EXPECT_FALSE(check_hidden_smt(probe_cores(files, kRoles, cores.probe())));
  EXPECT_EQ(cores.asked.size(), 1u);
}

TEST(CheckHiddenSmt, is_not_asked_on_bare_metal_and_is_bounded_elsewhere) {
  FakeFiles files;
  FakeCores cores;
  EXPECT_TRUE(probe_cores(files, kRoles, cores.probe()).empty());
  EXPECT_TRUE(cores.asked.empty());
  files.put("/sys/hypervisor/type", "xen\n");
  EXPECT_EQ(probe_cores(files, {{1, 2, 3, 4, 5, 6, 7, 8}, {0}}, cores.probe()).size(), 6u);
  EXPECT_NEAR(cores.asked_s, 0.3, 1e-6);
  cores.asked.clear();
  EXPECT_TRUE(probe_cores(files, {{0}, {0}}, cores.probe()).empty());  // a CPU beside itself
  EXPECT_TRUE(cores.asked.empty());
}

TEST(CheckHiddenSmt, what_cannot_be_timed_is_no_finding) {
  FakeFiles files;
  files.put("/sys/hypervisor/type", "xen\n");
  const auto refuses = [](int, int, system::Duration) -> Result<double> {
    return fail(ErrorKind::kUsage, "cannot use CPU 9");
  };
  EXPECT_TRUE(probe_cores(files, kRoles, refuses).empty());
  EXPECT_FALSE(check_hidden_smt({}));
}

TEST(CheckSteadySpeed, a_core_that_somebody_else_uses_too_is_a_finding) {
  std::vector<double> speeds(50, 1000);
  for (std::size_t i = 0; i < 20; ++i) speeds[i] = 600;
  int asked = -1;
  const SpeedsAlone probe = [&](int cpu, system::Duration window,
                                int windows) -> Result<std::vector<double>> {
    asked = cpu;
    EXPECT_NEAR(system::to_seconds(window) * windows, 0.5, 1e-9);
    return speeds;
  };
  const auto seen = probe_speed({{1, 2}, {0}}, probe);
  EXPECT_EQ(asked, 1);
  ASSERT_TRUE(seen);
  EXPECT_NEAR(seen->swing, 2.0 / 3, 1e-9);
  const auto finding = check_steady_speed(seen);
  ASSERT_TRUE(finding);
  EXPECT_THAT(finding->text, HasSubstr("CPU 1 changed its speed by 66.7 %"));
  EXPECT_EQ(speed_swing(seen), "CPU 1: within 66.7 % over half a second");
}

TEST(CheckSteadySpeed, a_steady_core_a_rare_dip_or_no_probe_is_none) {
  std::vector<double> speeds(50, 1000);
  speeds[3] = speeds[17] = 400;
  const SpeedsAlone probe = [&](int, system::Duration, int) -> Result<std::vector<double>> {
    return speeds;
  };
  const auto seen = probe_speed(kRoles, probe);
  ASSERT_TRUE(seen);
  EXPECT_FALSE(check_steady_speed(seen));
  EXPECT_FALSE(check_steady_speed(probe_speed(kRoles, nullptr)));
  EXPECT_EQ(speed_swing(std::nullopt), "not timed");
}

TEST(CheckNuma, a_server_on_two_nodes_is_worse_than_a_load_on_another) {
  FakeFiles files;
  EXPECT_FALSE(check_numa(files, kRoles));
  files.put("/sys/devices/system/node/possible", "0-1\n");
  files.put("/sys/devices/system/node/node0/cpulist", "0-1\n");
  files.put("/proc/sys/kernel/numa_balancing", "1\n");
  EXPECT_FALSE(check_numa(files, kRoles));  // one node: nothing to balance
  files.put("/sys/devices/system/node/node1/cpulist", "2-3\n");
  files.put("/sys/devices/system/node/node2/cpulist", "\n");  // memory alone
  auto finding = check_numa(files, {{0}, {2}});
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->severity, "info");
  finding = check_numa(files, {{1, 2}, {3}});
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->severity, "warning");
  EXPECT_THAT(finding->text, HasSubstr("(1-2) lie on 2 NUMA nodes"));
  finding = check_numa(files, kRoles);
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->id, "machine.numa-balancing");
  files.put("/proc/sys/kernel/numa_balancing", "0\n");
  EXPECT_FALSE(check_numa(files, kRoles));
}

TEST(CheckAutogroup, on_is_told) {
  FakeFiles files;
  EXPECT_FALSE(check_autogroup(files));
  files.put("/proc/sys/kernel/sched_autogroup_enabled", "0\n");
  EXPECT_FALSE(check_autogroup(files));
  files.put("/proc/sys/kernel/sched_autogroup_enabled", "1\n");
  ASSERT_TRUE(check_autogroup(files));
  EXPECT_EQ(check_autogroup(files)->severity, "info");
}

TEST(CheckTimeAccounting, interrupts_accounted_apart_are_told) {
  FakeFiles files;
  EXPECT_FALSE(check_time_accounting(files));
  files.put("/proc/sys/kernel/osrelease", "6.1.0-13-amd64\n");
  EXPECT_FALSE(check_time_accounting(files));
  files.put("/boot/config-6.1.0-13-amd64",
            "CONFIG_HZ=250\n# CONFIG_IRQ_TIME_ACCOUNTING is not set\n");
  EXPECT_FALSE(check_time_accounting(files));
  files.put("/boot/config-6.1.0-13-amd64",
            "CONFIG_HAVE_IRQ_TIME_ACCOUNTING=y\nCONFIG_IRQ_TIME_ACCOUNTING=y\n");
  EXPECT_TRUE(check_time_accounting(files));
}

TEST(CheckVirtualMachine, is_known_by_flag_file_or_device_tree) {
  FakeFiles files;
  EXPECT_FALSE(check_virtual_machine(files));
  files.put("/proc/cpuinfo", "processor\t: 0\nflags\t\t: fpu vme sse2\nmodel name\t: hypervisor\n");
  EXPECT_FALSE(check_virtual_machine(files));
  files.put("/proc/cpuinfo", "processor\t: 0\nflags\t\t: fpu hypervisor sse2\n");
  ASSERT_TRUE(check_virtual_machine(files));
  EXPECT_EQ(hypervisor(files), "unnamed");
  files.put("/sys/class/dmi/id/sys_vendor", "QEMU\n");
  files.put("/sys/class/dmi/id/product_name", "Standard PC\n");
  EXPECT_EQ(hypervisor(files), "QEMU Standard PC");
  files.put("/sys/hypervisor/type", "xen\n");
  EXPECT_EQ(hypervisor(files), "xen");

  FakeFiles arm;
  arm.put("/proc/device-tree/hypervisor/compatible", "linux,kvm");
  EXPECT_EQ(hypervisor(arm), "unnamed");
}

}  // namespace
}  // namespace hone::measure
