// Is this machine fit to prove anything? One file per check beside this header, each a Finding with
// the way to mend it; and the environment's marks around each round.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/finding.h"
#include "base/json.h"
#include "system/system.h"

namespace hone::measure {

// What the machine is, for reports: cpu model, cpus, kernel, memory, virtual machine or not,
// governor, which counters exist and why others do not. What the machine does not tell is null, or
// a text that says why.
Json describe_machine(const system::System&);

// The checks that hold for the whole run: governor, SMT siblings, cgroup quota on any ancestor,
// NUMA, THP, ASLR, clocksource, swap, virtual machine...; checks.h lists them. Watches the CPUs for
// half a second, times a loop on one for another, and in a virtual machine looks for hidden
// siblings for 0.3 s: call it while nothing of hone's own runs. `description` gets what the timings
// saw, as `cores` and `speed`.
Findings check_machine(const system::System&, const std::vector<int>& server_cpus,
                       const std::vector<int>& load_cpus, Json* description = nullptr);

// Machine state at one moment, for the CPUs of a round.
struct MachineReading {
  double at_s = 0;                 // monotonic
  double busy_s = 0, steal_s = 0;  // summed over the server's CPUs
  double throttled_s = 0;          // of hone's own cgroup and its ancestors
};
Result<MachineReading> read_machine(const system::System&, const std::vector<int>& server_cpus);

// What happened to the server's CPUs between two readings.
struct Environment {
  double steal = 0;        // share of wall time
  double foreign_cpu = 0;  // share of wall time not used by the arms or the spinner
  double throttled_s = 0;
  double run_delay = 0;              // share of the arms' wall time spent runnable without a CPU
  bool crowded = false;              // an arm has more workers than CPUs: they wait for each other
  double missed = 0;                 // share of scheduled requests
  std::optional<double> spin_drift;  // relative; nothing without a spinner
};
HONE_JSON(Environment)

// Of stretches of one round: the worst of each, throttled times added up.
Environment worst_of(const Environment&, const Environment&);

// Why a round must be repeated, or "": every limit that was passed, with its figure. The limits and
// their reasons are in environment.cc.
std::string environment_fault(const Environment&);

}  // namespace hone::measure
