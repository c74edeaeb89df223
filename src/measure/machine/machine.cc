#include "measure/machine/machine.h"

#include "measure/machine/checks.h"

namespace hone::measure {
namespace {

// /proc/stat counts ticks of 10 ms: 50 of them.
constexpr double kWatchedS = 0.5;

}  // namespace

// In the order in which a reader should see them: what makes a proof impossible first.
Findings check_machine(const system::System& system, const std::vector<int>& server_cpus,
                       const std::vector<int>& load_cpus, Json* description) {
  const system::Files& files = *system.files;
  const CpuRoles roles{server_cpus, load_cpus};
  Findings findings;
  const auto add = [&findings](std::optional<Finding> finding) {
    if (finding) findings.push_back(*std::move(finding));
  };
  add(check_cpu_count(roles));
  add(check_cgroup_quota(files, roles));
  const std::map<int, CpuTicks> ticks = ticks_by_cpu(files);
  const InterruptCounts interrupts = read_interrupts(files, server_cpus);
  system.clock->sleep(system::seconds(kWatchedS));
  add(check_other_load(ticks, ticks_by_cpu(files), roles));
  add(check_interrupts(grown(interrupts.devices, read_interrupts(files, server_cpus).devices),
                       kWatchedS, roles));
  add(check_steal(files, roles));
  add(check_governor(files, roles));
  add(check_smt(files, roles));
  const std::vector<CorePair> pairs = probe_cores(files, roles, system.speed_beside);
  add(check_hidden_smt(pairs));
  if (description != nullptr) (*description)["cores"] = core_speeds(pairs);
  const auto swing = probe_speed(roles, system.speeds_alone);
  add(check_steady_speed(swing));
  if (description != nullptr) (*description)["speed"] = speed_swing(swing);
  add(check_numa(files, roles));
  add(check_thermal_throttling(files, roles));
  add(check_clocksource(files));
  add(check_swap(files));
  add(check_turbo(files));
  add(check_huge_pages(files));
  add(check_aslr(files));
  add(check_autogroup(files));
  add(check_time_accounting(files));
  add(check_virtual_machine(files));
  return findings;
}

}  // namespace hone::measure
