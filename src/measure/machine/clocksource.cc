// Servers read the clock several times per request. With these sources each reading is a system
// call and a device access (microseconds) instead of a few instructions in the vDSO: cost that no
// rebuild can save and that most users' machines do not have.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "measure/machine/checks.h"
#include "measure/machine/kernel_files.h"

namespace hone::measure {

std::optional<Finding> check_clocksource(const system::Files& files) {
  constexpr std::array<std::string_view, 6> kSlow = {"hpet",    "acpi_pm",         "pit",
                                                     "jiffies", "refined-jiffies", "xen"};
  const system::Path folder = "/sys/devices/system/clocksource/clocksource0";
  const auto source = read_trimmed(files, folder / "current_clocksource");
  if (!source || std::find(kSlow.begin(), kSlow.end(), *source) == kSlow.end()) return std::nullopt;
  return Finding{"machine.clocksource", "warning",
                 fmt::format("reading the clock is slow here (clock source {})", *source),
                 fmt::format("echo tsc > {}, where available_clocksource lists it",
                             (folder / "current_clocksource").string())};
}

}  // namespace hone::measure
