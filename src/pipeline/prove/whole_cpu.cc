#include "pipeline/prove/whole_cpu.h"

#include <algorithm>

namespace hone::pipeline {

SpunStretch spun_so_far(const system::IdleSpinner* spinner, const system::Clock& clock) {
  return {system::to_seconds(clock.now().time_since_epoch()),
          spinner != nullptr ? spinner->spun().turns : 0};
}

SpunStretch between(const SpunStretch& begin, const SpunStretch& end) {
  return {end.wall_s - begin.wall_s, end.turns - begin.turns};
}

double unavailable_cpu_s(const SpunStretch& loaded, const SpunStretch& idle, int cpus) {
  if (idle.turns == 0 || idle.wall_s <= 0) return 0;
  // Turns per wall second of all CPUs, each idle throughout.
  const double turns_per_s = static_cast<double>(idle.turns) / idle.wall_s;
  const double share_left = static_cast<double>(loaded.turns) / turns_per_s / loaded.wall_s;
  return std::max(0.0, loaded.wall_s * cpus * (1 - share_left));
}

}  // namespace hone::pipeline
