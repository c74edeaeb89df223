// Keeps CPUs awake: one SCHED_IDLE thread per CPU that turns a loop, so the CPU never halts and the
// clock never drops, and anything else that wants it gets it at once. It lives in hone's own
// process and so in the arms' scheduling group (SCHED_IDLE is weak only inside its own group; see
// docs/method.md), and it must be shown there: check() runs a busy loop, started as an arm is
// started, beside the spinner and measures the share of the CPU that loop gets.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/error.h"
#include "system/processes.h"

namespace hone::system {

// What the spinner's threads did so far, all together: CPU used, and turns of a fixed loop. Fewer
// turns in the same CPU time are a slower clock or a busier sibling.
struct Spun {
  std::int64_t cpu_ns = 0;
  std::uint64_t turns = 0;
};

class IdleSpinner {
 public:
  static Result<std::unique_ptr<IdleSpinner>> start(const std::vector<int>& cpus);
  virtual ~IdleSpinner() = default;
  // The CPU share (0 to 1) that a busy loop under `processes` gets beside the spinner on the worst
  // of its CPUs, over `seconds` on each. A proof asks for 0.98.
  virtual Result<double> check(Processes& processes, double seconds) = 0;
  virtual Spun spun() const = 0;
};

// The busy loop that check() starts: `hone spin SECONDS`; prints its CPU share.
int busy_loop_if_asked(int argc, char** argv);

}  // namespace hone::system
