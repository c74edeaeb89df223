// A core that is shared with somebody outside this machine, or whose clock moves, changes its speed
// under the measurement, and nothing in /proc or /sys says so: a virtual machine sees no sibling,
// no frequency, and no steal as long as its own thread runs. It has to be timed.
#include <fmt/format.h>

#include <algorithm>

#include "base/units.h"
#include "measure/machine/checks.h"

namespace hone::measure {
namespace {

// Half a second in all; shorter windows would show single interrupts.
constexpr auto kWindow = std::chrono::milliseconds(10);
constexpr int kWindows = 50;

// A quiet core stays within 1 to 3 %. At 10 % a slice of half a second still averages it out to
// what rounds scatter anyhow; beyond, it is the neighbour that decides how many rounds are needed.
constexpr double kSteady = 0.10;

}  // namespace

std::optional<SpeedSwing> probe_speed(const CpuRoles& roles, const SpeedsAlone& speeds_alone) {
  if (!speeds_alone || roles.server.empty()) return std::nullopt;
  auto speeds = speeds_alone(roles.server.front(), kWindow, kWindows);
  if (!speeds || speeds->empty()) return std::nullopt;
  std::sort(speeds->begin(), speeds->end());
  const std::size_t tenth = speeds->size() / 10;
  const double slow = (*speeds)[tenth];
  const double fast = (*speeds)[speeds->size() - 1 - tenth];
  if (slow <= 0) return std::nullopt;
  return SpeedSwing{roles.server.front(), fast / slow - 1};
}

std::optional<Finding> check_steady_speed(const std::optional<SpeedSwing>& seen) {
  if (!seen || seen->swing <= kSteady) return std::nullopt;
  return Finding{"machine.unsteady-speed", "warning",
                 fmt::format("CPU {} changed its speed by {} within half a second, with hone alone "
                             "on it: its core has a neighbour outside this machine, or its clock "
                             "moves; rounds will scatter as much",
                             seen->cpu, format_percent(seen->swing)),
                 "a machine with cores of its own, or a quieter hour; else more rounds"};
}

std::string speed_swing(const std::optional<SpeedSwing>& seen) {
  if (!seen) return "not timed";
  return fmt::format("CPU {}: within {} over half a second", seen->cpu,
                     format_percent(seen->swing));
}

}  // namespace hone::measure
