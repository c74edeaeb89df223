// What else the machine did while a round was measured, and how it was set: kept with the round for
// whoever doubts it. Rounds are not judged by it; the limits that judge are in environment.cc.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/finding.h"
#include "base/json.h"
#include "measure/machine/checks.h"
#include "measure/machine/interrupts.h"

namespace hone::measure {

// "governor" -> "performance", "aslr" -> "2": what can be set and moves costs. What the machine
// does not tell is left out.
using Settings = std::map<std::string, std::string>;
Settings read_settings(const system::Files&, const CpuRoles&);

// At one moment; counts are since boot.
struct MachineMoment {
  double at_s = 0;             // monotonic
  InterruptCounts interrupts;  // on the server's CPUs
  double thermal_throttles = 0;
  double swapped_pages = 0;         // in and out, whole machine
  std::optional<double> hottest_c;  // of all thermal zones, degrees Celsius
  Settings settings;
};
MachineMoment read_moment(const system::Files&, const system::Clock&, const CpuRoles&);

struct MachineState {
  double wall_s = 0;
  EventCounts devices, kernel, softirqs;  // as in InterruptCounts, what was served meanwhile
  std::uint64_t thermal_throttles = 0, swapped_pages = 0;
  std::optional<double> hottest_c;  // the highest that was read
  Settings settings;                // "powersave, then performance" where one changed meanwhile
};
HONE_JSON(MachineState)

// Over moments in order: before, between and after. Of fewer than two only settings and heat.
MachineState state_over(const std::vector<MachineMoment>&);

// What a reader of all rounds of a proof should know: a setting that changed, interrupts of devices
// on the server's CPUs, throttling, swapping.
Findings state_findings(const std::vector<MachineState>&, const CpuRoles&);

}  // namespace hone::measure
