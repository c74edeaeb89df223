// A hypervisor may give out the two threads of a core as CPUs of their own. What one does then
// decides how much CPU time the other needs, and nothing in /sys says so: it has to be timed.
#include <fmt/format.h>

#include "base/text.h"
#include "measure/machine/checks.h"

namespace hone::measure {
namespace {

// All pairs together; with six of them a pair has six windows of 8 ms, two of the kernel's ticks.
constexpr double kProbeS = 0.3;
constexpr std::size_t kMostPairs = 6;

// Between 1 (cores of their own; 0.96 to 1.01 seen on a machine with both CPUs in use) and 0.65
// (the best that two busy threads of a core leave each other).
constexpr double kSharedBelow = 0.8;

}  // namespace

std::vector<CorePair> probe_cores(const system::Files& files, const CpuRoles& roles,
                                  const SpeedBeside& speed_beside) {
  std::vector<CorePair> pairs;
  if (!speed_beside || !hypervisor(files)) return pairs;  // on bare metal the kernel knows
  const auto add = [&pairs](int cpu, int other) {
    if (cpu != other) pairs.push_back({cpu, other, 0});
  };
  // The load's CPU is busy whenever the server's is; two of the server's own need not be.
  for (const int cpu : roles.server) {
    for (const int other : roles.load) add(cpu, other);
  }
  for (std::size_t i = 0; i < roles.server.size(); ++i) {
    for (std::size_t j = i + 1; j < roles.server.size(); ++j) add(roles.server[i], roles.server[j]);
  }
  if (pairs.size() > kMostPairs) pairs.resize(kMostPairs);
  for (CorePair& pair : pairs) {
    const auto speed = speed_beside(pair.cpu, pair.other,
                                    system::seconds(kProbeS / static_cast<double>(pairs.size())));
    if (!speed) return {};
    pair.speed = *speed;
  }
  return pairs;
}

std::optional<Finding> check_hidden_smt(const std::vector<CorePair>& pairs) {
  for (const CorePair& pair : pairs) {
    if (pair.speed >= kSharedBelow) continue;
    return Finding{
        "machine.hidden-smt", "warning",
        fmt::format("CPUs {} and {} are threads of one core, though the machine does not say so: "
                    "beside each other they ran at {:.2f} of their speed",
                    pair.cpu, pair.other, pair.speed),
        "choose other CPUs with [prove] cpus, or a machine type with whole cores (one thread per "
        "core)"};
  }
  return std::nullopt;
}

std::string core_speeds(const std::vector<CorePair>& pairs) {
  std::vector<std::string> texts;
  for (const CorePair& pair : pairs) {
    texts.push_back(
        fmt::format("{} beside {}: {:.2f} of its speed", pair.cpu, pair.other, pair.speed));
  }
  if (texts.empty()) return "not timed: the kernel knows them, or hone uses one CPU";
  return join(texts, ", ");
}

}  // namespace hone::measure
