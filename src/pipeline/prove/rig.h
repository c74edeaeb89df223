// What all rounds of a proof share: the thread of origin and generator, or the way to a generator
// on another host, and the spinner that keeps the server's CPUs awake.
#pragma once

#include <memory>

#include "base/error.h"
#include "base/finding.h"
#include "pipeline/prove/design.h"
#include "system/idle_spinner.h"
#include "system/net/loop.h"
#include "system/system.h"
#include "traffic/load/load_session.h"

namespace hone::pipeline {

struct Rig {
  std::unique_ptr<system::net::LoopThread> thread;
  std::unique_ptr<traffic::load::LoadSession> load;  // here or far; destroyed before `thread`
  std::unique_ptr<system::IdleSpinner> spinner;      // nothing when off or refused
  double spinner_share = 0;                          // of a busy loop beside it, as measured
  Findings findings;                                 // why the spinner is off, if it is
};

// `work_folder`: for the log of a far load. kFarHost where it does not come up.
Result<Rig> make_rig(const Design&, const system::Path& work_folder, system::System&);

// After a round that went without it; where make_rig() left it off, it stays off.
Status restart_spinner(const Design&, Rig*);

}  // namespace hone::pipeline
