// Energy of one arm that lives alone.
#pragma once

#include "pipeline/prove/live_arms.h"

namespace hone::pipeline {

// Puts the energy that requests cost above an idle machine, or the reason why it is not known,
// among the events of the arm's trial. Takes an idle stretch and one under load, the spinner off in
// both (it burns what is to be seen), and starts the spinner again. Precondition: one arm is live.
Status count_arm_energy(LiveArms&, const LiveArms::MakeSlice&, const Design&, Rig*, system::System&,
                        Round*);

}  // namespace hone::pipeline
