// Whatever else runs on these CPUs empties caches and takes turns with the server. The load average
// is no use here: it lags by minutes and still shows hone's own build. So the CPUs themselves are
// watched for a moment in which hone does nothing.
#include <fmt/format.h>

#include <algorithm>

#include "base/units.h"
#include "measure/machine/checks.h"

namespace hone::measure {
namespace {

// One tick of the watch's 50 is chance and two are 4 %; the limit of a round, 1 %, would need
// longer than anybody waits for a check. Rounds are watched with theirs.
constexpr double kBusy = 0.05;

}  // namespace

std::optional<Finding> check_other_load(const std::map<int, CpuTicks>& before,
                                        const std::map<int, CpuTicks>& after,
                                        const CpuRoles& roles) {
  int busiest = -1;
  double share = 0;
  for (const int cpu : roles.all()) {
    const auto from = before.find(cpu), to = after.find(cpu);
    if (from == before.end() || to == after.end()) continue;
    const double total = to->second.total() - from->second.total();
    const double busy = to->second.busy - from->second.busy;
    if (total > 0 && busy / total > share) {
      share = busy / total;
      busiest = cpu;
    }
  }
  if (share <= kBusy) return std::nullopt;
  return Finding{"machine.other-load", "warning",
                 fmt::format("CPU {} was {} busy with something else while hone was idle", busiest,
                             format_percent(share, 0)),
                 "see what runs (top) and stop it, or choose other CPUs with [prove] cpus"};
}

}  // namespace hone::measure
