// Turbo lends clock while temperature and the neighbours' use allow it: drift that interleaved
// slices mostly cancel, and that the control interval shows.
#include "measure/machine/checks.h"
#include "measure/machine/kernel_files.h"

namespace hone::measure {

std::optional<Finding> check_turbo(const system::Files& files) {
  const system::Path kNoTurbo = "/sys/devices/system/cpu/intel_pstate/no_turbo";
  const system::Path kBoost = "/sys/devices/system/cpu/cpufreq/boost";  // acpi-cpufreq, amd-pstate
  const bool intel = read_trimmed(files, kNoTurbo) == "0";
  const bool other = read_trimmed(files, kBoost) == "1";
  if (!intel && !other) return std::nullopt;
  return Finding{"machine.turbo", "info",
                 "turbo is on: the clock depends on temperature and on what other cores do",
                 intel ? "echo 1 > " + kNoTurbo.string() : "echo 0 > " + kBoost.string()};
}

}  // namespace hone::measure
