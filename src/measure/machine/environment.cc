// Rounds are judged by what happened to the machine, blind to what the arms cost: a rule that
// looked at the costs would throw away the rounds it does not like. The limits stand well below the
// smallest effect that matters (1 % by default), so that what slips under them cannot make one.
#include <fmt/format.h>

#include <cmath>
#include <string>
#include <vector>

#include "base/text.h"
#include "base/units.h"
#include "measure/machine/machine.h"

namespace hone::measure {
namespace {

// Kernels with paravirtual time accounting do not charge stolen time to the server, others do; the
// caches that another guest leaves behind are charged always. Half of the smallest effect, so that
// even where all of it is charged to one arm it cannot make one.
constexpr double kSteal = 0.005;

// Foreign work costs the arms caches and switches: a fraction of its own time, spread over all of
// them by the interleaving. So its own time may reach the smallest effect.
constexpr double kForeignCpu = 0.01;

// Waiting for a CPU is not charged, but requests gather meanwhile and are served in one batch,
// which saves wakes. Foreign work at its limit makes the arms wait about as long as it runs; twice
// that means that they wait for more than the CPU times show. An arm with more workers than CPUs
// waits for itself, which no repetition mends.
constexpr double kRunDelay = 0.02;

// Each missed request makes a gap in an arm's arrivals. The limit is that of the achieved rate
// between arms: one in a thousand.
constexpr double kMissed = 0.001;

// The spinner turns a fixed loop: fewer turns per CPU second mean a slower clock or shared caches.
// Two smallest effects, because slices alternate within seconds and most of a drift hits all arms.
constexpr double kSpinDrift = 0.02;

// What is not a number is the worst.
double worse(double a, double b) { return std::isnan(a) || a > b ? a : b; }

}  // namespace

Environment worst_of(const Environment& a, const Environment& b) {
  Environment worst;
  worst.steal = worse(a.steal, b.steal);
  worst.foreign_cpu = worse(a.foreign_cpu, b.foreign_cpu);
  worst.throttled_s = a.throttled_s + b.throttled_s;
  worst.run_delay = worse(a.run_delay, b.run_delay);
  worst.crowded = a.crowded || b.crowded;
  worst.missed = worse(a.missed, b.missed);
  worst.spin_drift = a.spin_drift;
  if (b.spin_drift && (!a.spin_drift || std::fabs(*b.spin_drift) > std::fabs(*a.spin_drift))) {
    worst.spin_drift = b.spin_drift;
  }
  return worst;
}

std::string environment_fault(const Environment& environment) {
  std::vector<std::string> faults;
  // Written so that a share that is not a number is a fault too.
  const auto check = [&faults](double share, double limit, const char* what) {
    if (share <= limit) return;  // false for NaN
    faults.push_back(
        fmt::format("{} {} (limit {})", what, format_percent(share, 2), format_percent(limit, 1)));
  };
  check(environment.steal, kSteal, "CPU time stolen by the host");
  check(environment.foreign_cpu, kForeignCpu, "CPU time used by other processes");
  // Any at all: one throttled period is 100 ms in which nothing ran, then a batch.
  if (!(environment.throttled_s <= 0)) {
    faults.push_back(fmt::format("stopped by a CPU quota for {} (limit 0 s)",
                                 format_duration(environment.throttled_s)));
  }
  if (!environment.crowded) check(environment.run_delay, kRunDelay, "time waiting for a CPU");
  check(environment.missed, kMissed, "requests the load generator missed");
  if (environment.spin_drift) {
    check(std::fabs(*environment.spin_drift), kSpinDrift, "change of the CPU's speed");
  }
  return join(faults, "; ");
}

}  // namespace hone::measure
