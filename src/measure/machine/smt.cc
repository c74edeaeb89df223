// Two hardware threads of one core share its execution units: what one does decides how much CPU
// time the other needs for the same work, easily by a third. Load and server on one core is the
// worst case; an unused sibling is only a risk, because anything may be scheduled there.
#include <fmt/format.h>

#include <algorithm>

#include "measure/machine/checks.h"
#include "measure/machine/kernel_files.h"
#include "system/cpus.h"

namespace hone::measure {

std::optional<Finding> check_smt(const system::Files& files, const CpuRoles& roles) {
  const std::vector<int> used = roles.all();
  std::optional<Finding> finding;
  for (const int cpu : roles.server) {
    const auto list = read_trimmed(files, cpu_folder(cpu) / "topology/thread_siblings_list");
    const Result<std::vector<int>> siblings =
        list ? system::parse_cpu_list(*list) : Result<std::vector<int>>{};
    if (!siblings) continue;
    for (const int sibling : *siblings) {
      if (sibling == cpu) continue;
      if (std::find(used.begin(), used.end(), sibling) != used.end()) {
        return Finding{
            "machine.smt", "warning",
            fmt::format("CPUs {} and {} are threads of one core, and hone uses both", cpu, sibling),
            "choose one CPU per core with [prove] cpus (lscpu -e shows cores), or turn SMT "
            "off: echo off > /sys/devices/system/cpu/smt/control"};
      }
      if (finding) continue;
      finding = Finding{"machine.smt", "info",
                        fmt::format("CPU {}, a thread of the server's core (CPU {}), is free for "
                                    "others to use",
                                    sibling, cpu),
                        fmt::format("take it offline while measuring: echo 0 > {}/online",
                                    cpu_folder(sibling).string())};
    }
  }
  return finding;
}

}  // namespace hone::measure
