// Autogroup schedules each session as one group, and SCHED_IDLE is weak only inside its own group:
// a busy loop beside an idle-class spinner got 99 % of the CPU in the same session and half of it
// in another. hone keeps its spinner and the arms in one session and checks what is left to an arm;
// what remains is that other sessions on these CPUs are served as equals of the whole proof.
#include "measure/machine/checks.h"
#include "measure/machine/kernel_files.h"

namespace hone::measure {

std::optional<Finding> check_autogroup(const system::Files& files) {
  if (read_trimmed(files, "/proc/sys/kernel/sched_autogroup_enabled") != "1") return std::nullopt;
  return Finding{
      "machine.autogroup", "info",
      "sessions share the CPU as groups (autogroup): a server that starts a session of its "
      "own competes with hone's idle spinner",
      "sysctl kernel.sched_autogroup_enabled=0, if the spinner's check fails"};
}

}  // namespace hone::measure
