// Under any governor but `performance` the clock follows the load of the last milliseconds, so the
// cheaper arm runs at a lower clock and its requests take more CPU time: a saving shrinks.
#include <fmt/format.h>

#include "measure/machine/checks.h"
#include "measure/machine/kernel_files.h"

namespace hone::measure {

std::optional<Finding> check_governor(const system::Files& files, const CpuRoles& roles) {
  for (const int cpu : roles.all()) {
    const auto governor = read_trimmed(files, cpu_folder(cpu) / "cpufreq/scaling_governor");
    if (!governor || *governor == "performance") continue;
    return Finding{
        "machine.governor", "warning",
        fmt::format("CPU {} changes its clock with the load (governor {})", cpu, *governor),
        "cpupower frequency-set -g performance"};
  }
  return std::nullopt;
}

}  // namespace hone::measure
