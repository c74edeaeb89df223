#include "pipeline/prove/rig.h"

#include <fmt/format.h>

#include "base/units.h"
#include "measure/machine/cgroups.h"
#include "subject/far_load.h"
#include "system/cpus.h"

namespace hone::pipeline {
namespace {

// A busy loop beside the spinner must keep this share of its CPU, or the spinner takes what it is
// meant to give: it lies in another scheduling group than the loop (measured: 0.98 to 0.99 in the
// same group, 0.49 in another).
constexpr double kLeastShare = 0.98;
// Long enough that one tick of 4 ms is below one per cent.
constexpr double kCheckS = 0.5;

Finding spinner_off(const std::string& why, const std::string& advice) {
  return {"prove.spinner-off", "warning",
          "the idle spinner is off: " + why + "; rounds will scatter more", advice};
}

Status start_load(const Design& design, const system::Path& work_folder, system::System& system,
                  Rig* rig) {
  const subject::Hosts& hosts = design.settings.hosts;
  if (!hosts.load.is_far()) {
    rig->load = traffic::load::make_in_process(rig->thread.get());
    return {};
  }
  HONE_TRY(rig->load,
           subject::start_far_load(hosts, design.load_cpus, work_folder / "far-load.log", system));
  return {};
}

}  // namespace

Result<Rig> make_rig(const Design& design, const system::Path& work_folder,
                     system::System& system) {
  Rig rig;
  // hone's own thread sits with the load: the server's CPUs belong to the server.
  HONE_CHECK(system::pin_this_thread(design.load_cpus));
  HONE_TRY(rig.thread, system::net::LoopThread::start(design.load_cpus));
  HONE_CHECK(start_load(design, work_folder, system, &rig));
  if (crowded(design)) {
    rig.findings.push_back({"prove.crowded", "warning",
                            fmt::format("an arm has more workers than its {} CPUs: they wait for "
                                        "each other, and cost what they would not cost alone",
                                        design.server_cpus.size()),
                            "fewer workers, or more CPUs in [prove] cpus"});
  }
  if (!design.settings.spinner) return rig;
  // It would use up the quota that the arms are to have.
  if (const auto quota = measure::cpu_quota(*system.files)) {
    rig.findings.push_back(spinner_off(
        fmt::format("{} has a quota of {:.1f} CPUs", quota->cgroup.string(), quota->cpus),
        "prove outside a CPU quota"));
    return rig;
  }
  auto spinner = system::IdleSpinner::start(design.server_cpus);
  if (!spinner) {
    rig.findings.push_back(spinner_off(spinner.error().what, spinner.error().next));
    return rig;
  }
  HONE_TRY(rig.spinner_share, (*spinner)->check(*system.processes, kCheckS));
  if (rig.spinner_share < kLeastShare) {
    rig.findings.push_back(
        spinner_off(fmt::format("a busy loop beside it got {} of its CPU, not {}",
                                format_percent(rig.spinner_share), format_percent(kLeastShare)),
                    "run hone in a session of its own"));
    rig.spinner_share = 0;
  } else {
    rig.spinner = *std::move(spinner);
  }
  return rig;
}

Status restart_spinner(const Design& design, Rig* rig) {
  if (rig->spinner_share <= 0) return {};
  HONE_TRY(rig->spinner, system::IdleSpinner::start(design.server_cpus));
  return {};
}

}  // namespace hone::pipeline
