// While another guest runs on this CPU the server stands still, and finds its caches emptied
// afterwards. Every round watches it; this tells beforehand whether rounds are likely to be lost.
#include <fmt/format.h>

#include "base/units.h"
#include "measure/machine/checks.h"
#include "measure/machine/kernel_files.h"

namespace hone::measure {

std::optional<Finding> check_steal(const system::Files& files, const CpuRoles& roles) {
  const std::map<int, CpuTicks> cpus = ticks_by_cpu(files);
  double steal = 0, total = 0;
  for (const int cpu : roles.all()) {
    const auto found = cpus.find(cpu);
    if (found == cpus.end()) continue;
    steal += found->second.steal;
    total += found->second.total();
  }
  // The same 0.5 % that spoils a round.
  if (total <= 0 || steal / total <= 0.005) return std::nullopt;
  return Finding{
      "machine.steal", "warning",
      fmt::format("since boot the host gave {} of these CPUs' time to others",
                  format_percent(steal / total, 2)),
      "use a machine type with dedicated CPUs, or measure at a quieter hour; rounds above "
      "0.5 % are repeated"};
}

}  // namespace hone::measure
