#include "measure/machine/machine.h"

#include "measure/machine/checks.h"

namespace hone::measure {

// In the order in which a reader should see them: what makes a proof impossible first.
Findings check_machine(const system::System& system, const std::vector<int>& server_cpus,
                       const std::vector<int>& load_cpus) {
  const system::Files& files = *system.files;
  const CpuRoles roles{server_cpus, load_cpus};
  Findings findings;
  const auto add = [&findings](std::optional<Finding> finding) {
    if (finding) findings.push_back(*std::move(finding));
  };
  add(check_cpu_count(roles));
  add(check_cgroup_quota(files, roles));
  add(check_other_load(files, *system.clock, roles));
  add(check_steal(files, roles));
  add(check_governor(files, roles));
  add(check_smt(files, roles));
  add(check_thermal_throttling(files, roles));
  add(check_clocksource(files));
  add(check_swap(files));
  add(check_turbo(files));
  add(check_huge_pages(files));
  add(check_autogroup(files));
  add(check_time_accounting(files));
  add(check_virtual_machine(files));
  return findings;
}

}  // namespace hone::measure
