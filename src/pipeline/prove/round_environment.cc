#include "pipeline/prove/round_environment.h"

#include <algorithm>

#include "system/process_tree.h"

namespace hone::pipeline {
namespace {

// /proc/stat counts whole ticks, so either end of a stretch is known to one tick only.
constexpr double kTickS = 0.01;
// Below this much spinning in half a round its speed says more about who interrupted it than about
// the clock.
constexpr double kLeastSpunS = 0.1;

std::optional<double> turns_per_s(const system::Spun& from, const system::Spun& to) {
  const double seconds = static_cast<double>(to.cpu_ns - from.cpu_ns) * 1e-9;
  if (seconds < kLeastSpunS) return std::nullopt;
  return static_cast<double>(to.turns - from.turns) / seconds;
}

}  // namespace

Result<CpuReading> read_cpus(const system::System& system, const Design& design,
                             const system::IdleSpinner* spinner) {
  CpuReading reading;
  HONE_TRY(reading.machine, measure::read_machine(system, design.server_cpus));
  if (design.settings.hosts.load.is_far()) {
    for (const int cpu : design.server_cpus) {
      HONE_TRY(const system::CpuTimes times, system::cpu_times(cpu));
      reading.machine.busy_s -= times.irq + times.softirq;
    }
  }
  if (spinner != nullptr) reading.spun = spinner->spun();
  return reading;
}

measure::Environment environment_between(const CpuReading& before, const CpuReading& half,
                                         const CpuReading& after, int cpus, double arms_cpu_s,
                                         double run_delay_s) {
  measure::Environment seen;
  const double wall = (after.machine.at_s - before.machine.at_s) * cpus;
  if (wall <= 0) return seen;
  seen.steal = (after.machine.steal_s - before.machine.steal_s) / wall;
  const double spun_s = static_cast<double>(after.spun.cpu_ns - before.spun.cpu_ns) * 1e-9;
  const double busy_s = after.machine.busy_s - before.machine.busy_s;
  const double unknown_s = 2 * kTickS * cpus;
  seen.foreign_cpu = std::max(0.0, (busy_s - arms_cpu_s - spun_s - unknown_s) / wall);
  seen.throttled_s = after.machine.throttled_s - before.machine.throttled_s;
  seen.run_delay = run_delay_s / wall;
  const auto first = turns_per_s(before.spun, half.spun);
  const auto second = turns_per_s(half.spun, after.spun);
  if (first && second && *first > 0) seen.spin_drift = *second / *first - 1;
  return seen;
}

}  // namespace hone::pipeline
