// The arms that are alive at one time of a round: all of them, or one where they take turns. Brings
// them to the state in which slices are taken, and sorts out whose fault it is when one does not
// get there.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "measure/counters/usage.h"
#include "pipeline/prove/block.h"
#include "pipeline/prove/proof.h"
#include "pipeline/prove/rig.h"
#include "pipeline/prove/whole_cpu.h"
#include "subject/session.h"

namespace hone::pipeline {

class LiveArms {
 public:
  // The load of a round: `purpose` sets slices of one length apart.
  using MakeSlice =
      std::function<traffic::load::SliceSpec(double duration_s, std::uint64_t purpose)>;

  // All outlive it. Failures of arms go into the trials of `round`, which has one for each arm.
  LiveArms(const Design&, const Block&, const subject::Shape&, Round* round, Rig&, system::System&);

  // Starts them in this order (indices of the block's arms), connects, warms up until two
  // successive costs of each agree, and reads what they burn without load.
  Status start(const std::vector<std::size_t>& arms, const system::Path& folder, const MakeSlice&);
  // Ends them in order; one that does not end is noted and killed.
  Status stop();

  bool failed() const { return failed_; }
  const std::vector<std::size_t>& arms() const { return arms_; }
  subject::Session& operator[](std::size_t arm) { return *sessions_[arm]; }

  // Runs `work` for an arm; its subject's own failures end up in the trial, the rest (hone's own
  // and the machine's, such as too few file descriptors) is passed on.
  Status on_arm(std::size_t arm, const std::function<Status()>& work);

  Result<system::TreeUsage> quiet_usage(std::size_t arm);
  // By arm of the block; one that does not come to rest has failed, and the rest stay zero.
  Result<std::vector<system::TreeUsage>> quiet_usages();

  // Of the spinner while every arm rested; no turns without one.
  const SpunStretch& idle() const { return idle_; }

 private:
  Status start_one(std::size_t arm, const system::Path& folder);
  Status warm_up(const MakeSlice&);
  Result<double> warm_cost(std::size_t arm, const traffic::load::SliceSpec&);
  Status read_idle_burn();

  const Design& design_;
  const Block& block_;
  const subject::Shape& shape_;
  Round* round_;
  Rig& rig_;
  system::System& system_;
  std::vector<std::size_t> arms_;
  std::vector<std::unique_ptr<subject::Session>> sessions_;  // by arm of the block
  SpunStretch idle_;
  bool failed_ = false;
};

}  // namespace hone::pipeline
