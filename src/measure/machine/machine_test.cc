#include "measure/machine/machine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include <limits>

#include "measure/machine/fake_files.h"
#include "system/cpus.h"
#include "system/fake_clock.h"

namespace hone::measure {
namespace {

using testing::HasSubstr;
using testing::Not;

class Machine : public testing::Test {
 protected:
  Machine() {
    auto files = std::make_unique<FakeFiles>();
    files_ = files.get();
    system_.files = std::move(files);
    system_.clock = std::make_unique<system::FakeClock>();
  }

  system::System system_;
  FakeFiles* files_;
};

std::vector<std::string> ids(const Findings& findings) {
  std::vector<std::string> result;
  for (const Finding& finding : findings) result.push_back(finding.id);
  return result;
}

TEST_F(Machine, that_tells_nothing_has_no_findings) {
  EXPECT_TRUE(check_machine(system_, {0}, {1}).empty());
}

TEST_F(Machine, findings_come_worst_first_and_each_has_advice) {
  files_->put("/proc/stat", "cpu0 100 0 0 900 0 0 0 100 0 0\ncpu1 100 0 0 900 0 0 0 0 0 0\n");
  files_->put("/proc/cpuinfo", "flags : hypervisor\n");
  files_->put("/proc/sys/kernel/sched_autogroup_enabled", "1");
  files_->put("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave");
  const Findings findings = check_machine(system_, {0}, {0, 1});
  EXPECT_THAT(ids(findings),
              testing::ElementsAre("machine.cpu-shared", "machine.steal", "machine.governor",
                                   "machine.autogroup", "machine.virtual"));
  for (const Finding& finding : findings) {
    EXPECT_FALSE(finding.advice.empty()) << finding.id;
    EXPECT_THAT(finding.severity, testing::AnyOf("serious", "warning", "info")) << finding.id;
  }
}

TEST_F(Machine, says_how_its_cpus_slow_each_other) {
  Json machine = Json::object();
  check_machine(system_, {0}, {1}, &machine);
  EXPECT_THAT(machine["cores"].get<std::string>(), HasSubstr("not timed"));
  files_->put("/sys/hypervisor/type", "xen");
  system_.speed_beside = [](int, int, system::Duration) -> Result<double> { return 0.51; };
  EXPECT_THAT(ids(check_machine(system_, {0}, {1}, &machine)),
              testing::ElementsAre("machine.hidden-smt", "machine.virtual"));
  EXPECT_EQ(machine["cores"], "0 beside 1: 0.51 of its speed");
}

TEST_F(Machine, that_tells_nothing_is_described_with_reasons) {
  const Json machine = describe_machine(system_);
  EXPECT_TRUE(machine["cpu_model"].is_null());
  EXPECT_EQ(machine["virtual_machine"], false);
  EXPECT_THAT(machine["governor"].get<std::string>(), HasSubstr("not available here: "));
  EXPECT_THAT(machine["perf_events"].get<std::string>(), HasSubstr("not available here: "));
  EXPECT_THAT(machine["hardware_counters"].get<std::string>(), HasSubstr("not available here: "));
  EXPECT_THAT(machine["energy"].get<std::string>(), HasSubstr("not available here: "));
}

TEST_F(Machine, is_described_as_it_says) {
  files_->put("/proc/stat", "cpu 1\ncpu0 1 0 0 1 0 0 0 0 0 0\ncpu1 1 0 0 1 0 0 0 0 0 0\n");
  files_->put("/proc/cpuinfo", "processor : 0\nmodel name\t: Example CPU @ 3 GHz\nflags : fpu\n");
  files_->put("/proc/meminfo", "MemTotal:       1000 kB\nMemFree: 1 kB\n");
  files_->put("/proc/sys/kernel/osrelease", "6.1.0-13-amd64\n");
  files_->put("/proc/sys/kernel/perf_event_paranoid", "2\n");
  files_->put("/sys/bus/event_source/devices/cpu/type", "4\n");
  files_->put("/sys/bus/event_source/devices/power/type", "9\n");
  files_->put("/sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n");
  files_->put("/sys/devices/system/clocksource/clocksource0/current_clocksource", "tsc\n");
  const std::string folder =
      "/sys/devices/system/cpu/cpu" + std::to_string(system::allowed_cpus().front());
  files_->put(folder + "/cpufreq/scaling_governor", "performance\n");
  const Json machine = describe_machine(system_);
  EXPECT_EQ(machine["cpu_model"], "Example CPU @ 3 GHz");
  EXPECT_EQ(machine["cpus"], 2);
  EXPECT_EQ(machine["memory_bytes"], 1024000);
  EXPECT_EQ(machine["kernel"], "6.1.0-13-amd64");
  EXPECT_EQ(machine["governor"], "performance");
  EXPECT_EQ(machine["huge_pages"], "madvise");
  EXPECT_EQ(machine["clocksource"], "tsc");
  EXPECT_EQ(machine["hardware_counters"], "available");
  EXPECT_EQ(machine["energy"], "available");
  EXPECT_EQ(machine["perf_events"],
            "own processes, user mode only; root all (perf_event_paranoid 2)");
}

TEST_F(Machine, says_why_there_are_no_hardware_counters) {
  files_->put("/sys/bus/event_source/devices/software/type", "1\n");
  EXPECT_THAT(describe_machine(system_)["hardware_counters"].get<std::string>(),
              HasSubstr("the kernel offers no CPU device"));
  files_->put("/proc/cpuinfo", "flags : hypervisor\n");
  EXPECT_THAT(describe_machine(system_)["hardware_counters"].get<std::string>(),
              HasSubstr("the hypervisor passes no hardware counters"));
}

TEST_F(Machine, arm_models_are_numbers) {
  files_->put("/proc/cpuinfo", "CPU implementer\t: 0x41\nCPU part\t: 0xd0c\n");
  EXPECT_EQ(describe_machine(system_)["cpu_model"], "implementer 0x41, part 0xd0c");
}

TEST(RealMachine, can_be_described_checked_and_read) {
  const system::System system = system::real_system();
  const Json machine = describe_machine(system);
  EXPECT_GE(machine["cpus"].get<int>(), 1);
  EXPECT_GT(machine["memory_bytes"].get<double>(), 1e6);
  EXPECT_FALSE(machine["kernel"].get<std::string>().empty());

  const std::vector<int> cpus = system::allowed_cpus();
  for (const Finding& finding : check_machine(system, cpus, {})) {
    EXPECT_FALSE(finding.text.empty()) << finding.id;
    EXPECT_FALSE(finding.advice.empty()) << finding.id;
  }
  const auto before = read_machine(system, cpus);
  ASSERT_TRUE(before) << describe(before.error());
  const auto after = read_machine(system, cpus);
  ASSERT_TRUE(after) << describe(after.error());
  EXPECT_GT(before->busy_s, 0);
  EXPECT_GE(after->busy_s, before->busy_s);
  EXPECT_GE(after->steal_s, before->steal_s);
  EXPECT_GT(after->at_s, before->at_s);
}

TEST(RealMachine, a_cpu_that_is_not_there_is_an_error) {
  EXPECT_FALSE(read_machine(system::real_system(), {99999}));
}

TEST(EnvironmentFault, nothing_happened) {
  EXPECT_EQ(environment_fault({}), "");
  Environment at_the_limits{0.005, 0.01, 0, 0.02, false, 0.001, 0.02};
  EXPECT_EQ(environment_fault(at_the_limits), "");
}

TEST(EnvironmentFault, each_is_told_with_its_figure_and_limit) {
  Environment environment;
  environment.steal = 0.0071;
  EXPECT_EQ(environment_fault(environment), "CPU time stolen by the host 0.71 % (limit 0.5 %)");
  environment = {};
  environment.foreign_cpu = 0.034;
  EXPECT_EQ(environment_fault(environment),
            "CPU time used by other processes 3.40 % (limit 1.0 %)");
  environment = {};
  environment.throttled_s = 0.08;
  EXPECT_EQ(environment_fault(environment), "stopped by a CPU quota for 80 ms (limit 0 s)");
  environment = {};
  environment.run_delay = 0.025;
  EXPECT_EQ(environment_fault(environment), "time waiting for a CPU 2.50 % (limit 2.0 %)");
  environment.crowded = true;  // by the arms' own workers: repeating would not help
  EXPECT_EQ(environment_fault(environment), "");
  environment = {};
  environment.missed = 0.0012;
  EXPECT_EQ(environment_fault(environment),
            "requests the load generator missed 0.12 % (limit 0.1 %)");
  environment = {};
  environment.spin_drift = -0.03;  // faster is a fault as well
  EXPECT_EQ(environment_fault(environment), "change of the CPU's speed 3.00 % (limit 2.0 %)");
}

TEST(EnvironmentFault, all_are_told) {
  Environment environment;
  environment.steal = 0.01;
  environment.missed = 0.01;
  EXPECT_EQ(environment_fault(environment),
            "CPU time stolen by the host 1.00 % (limit 0.5 %); requests the load generator missed "
            "1.00 % (limit 0.1 %)");
}

TEST(EnvironmentFault, what_is_not_a_number_is_a_fault) {
  Environment environment;
  environment.run_delay = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(environment_fault(environment), HasSubstr("time waiting for a CPU"));
  environment = {};
  environment.throttled_s = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(environment_fault(environment), Not(testing::IsEmpty()));
}

TEST(WorstOf, KeepsTheWorstOfEachAndAddsThrottledTime) {
  Environment a, b;
  a.steal = 0.01;
  b.foreign_cpu = 0.02;
  a.throttled_s = 0.1;
  b.throttled_s = 0.2;
  a.spin_drift = 0.001;
  b.spin_drift = -0.03;
  const Environment worst = worst_of(a, b);
  EXPECT_EQ(worst.steal, 0.01);
  EXPECT_EQ(worst.foreign_cpu, 0.02);
  EXPECT_DOUBLE_EQ(worst.throttled_s, 0.3);
  EXPECT_EQ(worst.spin_drift, -0.03);
  EXPECT_EQ(worst_of({}, a).spin_drift, 0.001);
  b.steal = std::nan("");
  EXPECT_TRUE(std::isnan(worst_of(a, b).steal));
  EXPECT_TRUE(std::isnan(worst_of(b, a).steal));
}

}  // namespace
}  // namespace hone::measure
