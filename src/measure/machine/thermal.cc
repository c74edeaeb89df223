// A CPU that has been throttled for its temperature since boot will be again, under the same load.
#include <fmt/format.h>

#include <algorithm>

#include "base/units.h"
#include "measure/machine/checks.h"
#include "measure/machine/kernel_files.h"

namespace hone::measure {

double thermal_throttles(const system::Files& files, const CpuRoles& roles) {
  double most = 0;
  for (const int cpu : roles.all()) {
    const system::Path folder = cpu_folder(cpu) / "thermal_throttle";
    for (const char* file : {"core_throttle_count", "package_throttle_count"}) {
      most = std::max(most, read_number(files, folder / file).value_or(0));
    }
  }
  return most;
}

std::optional<Finding> check_thermal_throttling(const system::Files& files, const CpuRoles& roles) {
  const double most = thermal_throttles(files, roles);
  if (most <= 0) return std::nullopt;
  return Finding{"machine.thermal", "warning",
                 fmt::format("a CPU was slowed down for its temperature {} times since boot",
                             format_count(static_cast<std::uint64_t>(most))),
                 "better cooling, a lower fixed clock, or turbo off"};
}

}  // namespace hone::measure
