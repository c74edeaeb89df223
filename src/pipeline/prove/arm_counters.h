// What is counted of an arm beside its CPU and its answers: described in reports, judged nowhere.
#pragma once

#include <vector>

#include "pipeline/prove/live_arms.h"

namespace hone::pipeline {

// Of one slice, which the trial has already.
void add_beside(const measure::SliceCost&, Trial*);

// Of arms whose control group and whose processes' clocks tell different CPU: the larger is
// charged.
Findings cpu_view_findings(const std::vector<Round>&);

// Threads of each live arm, by arm of the block. Precondition: quiet.
using ArmThreads = std::vector<std::vector<system::ThreadUsage>>;
Result<ArmThreads> read_threads(LiveArms&, const system::System&);
void note_threads(const LiveArms&, const ArmThreads& before, const ArmThreads& after, Round*);

// Gives each live arm a slice of its own for every set of events (counting costs CPU, so it is not
// done in the slices that the verdict is drawn from) and puts figures or reasons into its trial. No
// load is given where the machine counts nothing.
Status count_arm_events(LiveArms&, const LiveArms::MakeSlice&, double slice_s, system::System&,
                        Round*);

}  // namespace hone::pipeline
