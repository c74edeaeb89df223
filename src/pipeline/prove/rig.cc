#include "pipeline/prove/rig.h"

#include <fmt/format.h>

#include "base/units.h"
#include "system/cpus.h"

namespace hone::pipeline {
namespace {

// A busy loop beside the spinner must keep this share of its CPU, or the spinner takes what it is
// meant to give: it lies in another scheduling group than the loop (measured: 0.98 to 0.99 in the
// same group, 0.49 in another).
constexpr double kLeastShare = 0.98;
// Long enough that one tick of 4 ms is below one per cent.
constexpr double kCheckS = 0.5;

}  // namespace

Result<Rig> make_rig(const Design& design, system::System& system) {
  Rig rig;
  // hone's own thread sits with the load: the server's CPUs belong to the server.
  HONE_CHECK(system::pin_this_thread(design.load_cpus));
  HONE_TRY(rig.thread, system::net::LoopThread::start(design.load_cpus));
  rig.load = traffic::load::make_in_process(rig.thread.get());
  if (!design.settings.spinner) return rig;
  HONE_TRY(rig.spinner, system::IdleSpinner::start(design.server_cpus));
  HONE_TRY(rig.spinner_share, rig.spinner->check(*system.processes, kCheckS));
  if (rig.spinner_share < kLeastShare) {
    rig.findings.push_back(
        {"prove.spinner-off", "warning",
         fmt::format("the idle spinner is off: a busy loop beside it got {} of its CPU, not {}",
                     format_percent(rig.spinner_share), format_percent(kLeastShare)),
         "rounds will scatter more; run hone in a session of its own, outside a CPU quota"});
    rig.spinner.reset();
    rig.spinner_share = 0;
  }
  return rig;
}

}  // namespace hone::pipeline
