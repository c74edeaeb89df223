// The load generator's own work is as large as the server's. On one CPU they take turns, every
// request costs context switches that no user's server pays, and the open loop is late by
// construction.
#include <algorithm>

#include <fmt/format.h>

#include "measure/machine/checks.h"
#include "system/cpus.h"

namespace hone::measure {

std::vector<int> CpuRoles::all() const {
  std::vector<int> cpus = server;
  cpus.insert(cpus.end(), load.begin(), load.end());
  std::sort(cpus.begin(), cpus.end());
  cpus.erase(std::unique(cpus.begin(), cpus.end()), cpus.end());
  return cpus;
}

std::optional<Finding> check_cpu_count(const CpuRoles& roles) {
  // One for the server, one for load and origin together.
  if (roles.all().size() < 2) {
    return Finding{
        "machine.cpu-count", "serious",
        fmt::format("hone may use {} CPU; server and load need one each", roles.all().size()),
        "give hone two CPUs (taskset, cpuset, docker --cpuset-cpus), or use a larger "
        "machine"};
  }
  std::vector<int> shared;
  for (const int cpu : roles.all()) {
    const auto in = [cpu](const std::vector<int>& cpus) {
      return std::find(cpus.begin(), cpus.end(), cpu) != cpus.end();
    };
    if (in(roles.server) && in(roles.load)) shared.push_back(cpu);
  }
  if (shared.empty()) return std::nullopt;
  return Finding{"machine.cpu-shared", "serious",
                 "server and load share CPU " + system::format_cpu_list(shared),
                 "give them CPUs of their own: [prove] cpus = {server = ..., load = ...}"};
}

}  // namespace hone::measure
