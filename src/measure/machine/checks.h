// The machine checks, one file each. Every one reads through Files, so that both of its answers can
// be tested, and gives nothing when all is well or when the machine does not tell. Severity:
// "serious" when a proof cannot be trusted at all, "warning" when it gets noisier or biased, "info"
// when it only changes how figures are read.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/finding.h"
#include "measure/machine/interrupts.h"
#include "measure/machine/kernel_files.h"
#include "system/clock.h"
#include "system/files.h"

namespace hone::measure {

struct CpuRoles {
  std::vector<int> server, load;  // the origin shares the load's
  std::vector<int> all() const;   // sorted, each once
};

std::optional<Finding> check_cpu_count(const CpuRoles&);
std::optional<Finding> check_cgroup_quota(const system::Files&, const CpuRoles&);
std::optional<Finding> check_steal(const system::Files&, const CpuRoles&);
// Of a stretch of half a second in which hone did nothing; see check_machine().
std::optional<Finding> check_other_load(const std::map<int, CpuTicks>& before,
                                        const std::map<int, CpuTicks>& after, const CpuRoles&);
// `devices`: interrupts that the server's CPUs served in `seconds`.
std::optional<Finding> check_interrupts(const EventCounts& devices, double seconds,
                                        const CpuRoles&);
std::optional<Finding> check_governor(const system::Files&, const CpuRoles&);
std::optional<Finding> check_turbo(const system::Files&);
std::optional<Finding> check_smt(const system::Files&, const CpuRoles&);
// Two of hone's CPUs, and the share of its speed that the first keeps while the second is busy.
struct CorePair {
  int cpu = 0, other = 0;
  double speed = 0;  // of a loop that fills a core: system/core_probe.h
};
using SpeedBeside = std::function<Result<double>(int cpu, int other, system::Duration)>;
// In virtual machines only; server against load first, six pairs at most, 0.3 s together. Empty
// where it cannot be timed.
std::vector<CorePair> probe_cores(const system::Files&, const CpuRoles&, const SpeedBeside&);
std::optional<Finding> check_hidden_smt(const std::vector<CorePair>&);
// "1 beside 0: 0.99 of its speed", or why nothing was timed; for whoever reads the report.
std::string core_speeds(const std::vector<CorePair>&);
// How far a CPU's speed moves while hone alone runs there: the 90th percentile over the 10th,
// less 1.
struct SpeedSwing {
  int cpu = 0;
  double swing = 0;
};
using SpeedsAlone =
    std::function<Result<std::vector<double>>(int cpu, system::Duration window, int windows)>;
// Of the server's first CPU, over half a second; nothing where it cannot be timed.
std::optional<SpeedSwing> probe_speed(const CpuRoles&, const SpeedsAlone&);
std::optional<Finding> check_steady_speed(const std::optional<SpeedSwing>&);
std::string speed_swing(const std::optional<SpeedSwing>&);  // "CPU 1: within 3.1 %", for readers
std::optional<Finding> check_numa(const system::Files&, const CpuRoles&);
std::optional<Finding> check_thermal_throttling(const system::Files&, const CpuRoles&);
std::optional<Finding> check_clocksource(const system::Files&);
std::optional<Finding> check_swap(const system::Files&);
std::optional<Finding> check_huge_pages(const system::Files&);
std::optional<Finding> check_aslr(const system::Files&);
std::optional<Finding> check_autogroup(const system::Files&);
std::optional<Finding> check_time_accounting(const system::Files&);
std::optional<Finding> check_virtual_machine(const system::Files&);

// Of the CPU that was slowed down most often since boot.
double thermal_throttles(const system::Files&, const CpuRoles&);

// What /proc and /sys say about a hypervisor: its name, or "unnamed"; nothing on bare metal.
std::optional<std::string> hypervisor(const system::Files&);

}  // namespace hone::measure
