// A CPU quota stops a whole group for the rest of its period (100 ms by default) once it has used
// its share: requests pile up and are then served in one batch, cheaper than they would have been.
// Even a quota that is never reached in the mean can be reached by a burst, because spinner and
// load draw on it too.
#include <fmt/format.h>

#include "base/units.h"
#include "measure/machine/cgroups.h"
#include "measure/machine/checks.h"

namespace hone::measure {

std::optional<Finding> check_cgroup_quota(const system::Files& files, const CpuRoles& roles) {
  const std::optional<CpuQuota> quota = cpu_quota(files);
  if (!quota) return std::nullopt;
  const std::size_t cpus = roles.all().size();
  const double throttled = throttled_s(files);
  std::string text = fmt::format("{} limits hone to the time of {:.2g} CPUs; it uses {}",
                                 quota->cgroup.string(), quota->cpus, cpus);
  if (throttled > 0)
    text += fmt::format(", and was stopped for {} so far", format_duration(throttled));
  const bool too_small = quota->cpus < static_cast<double>(cpus);
  return Finding{
      "machine.cgroup-quota", too_small ? "serious" : "warning", text,
      "lift the quota (docker: no --cpus; Kubernetes: no CPU limit; systemd: CPUQuota=) and "
      "bind to whole CPUs instead (--cpuset-cpus)"};
}

}  // namespace hone::measure
