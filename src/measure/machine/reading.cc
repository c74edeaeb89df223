#include "measure/machine/cgroups.h"
#include "measure/machine/machine.h"

namespace hone::measure {

Result<MachineReading> read_machine(const system::System& system,
                                    const std::vector<int>& server_cpus) {
  MachineReading reading;
  reading.at_s = system::to_seconds(system.clock->now().time_since_epoch());
  for (const int cpu : server_cpus) {
    HONE_TRY(const system::CpuTimes times, system::cpu_times(cpu));
    reading.busy_s += times.busy();
    reading.steal_s += times.steal;
  }
  reading.throttled_s = throttled_s(*system.files);
  return reading;
}

}  // namespace hone::measure
