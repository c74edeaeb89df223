// What the machine did while a round's slices were taken: its own account of the server's CPUs,
// against what the arms and the spinner used of them.
#pragma once

#include "measure/machine/machine.h"
#include "pipeline/prove/design.h"
#include "system/idle_spinner.h"

namespace hone::pipeline {

// Both read at one moment: waiting for an arm to be quiet between the two would count as the CPU of
// others.
struct CpuReading {
  measure::MachineReading machine;
  system::Spun spun;
};
// Of the design's server CPUs; `spinner` may be null. Where load comes from another host interrupts
// are left out of what the CPUs were busy with: they bring that load, and are no stranger's.
Result<CpuReading> read_cpus(const system::System&, const Design&,
                             const system::IdleSpinner* spinner);

// Readings before the slices, half way and after them; what the arms used of `cpus` CPUs and waited
// for them in between, in seconds. Leaves `missed` alone.
measure::Environment environment_between(const CpuReading& before, const CpuReading& half,
                                         const CpuReading& after, int cpus, double arms_cpu_s,
                                         double run_delay_s);

}  // namespace hone::pipeline
