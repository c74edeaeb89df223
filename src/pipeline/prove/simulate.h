// Requests on a simulated CPU, at the end of a proof: beside its figures, never instead of them.
#pragma once

#include "pipeline/prove/proof.h"
#include "pipeline/prove/rig.h"

namespace hone::pipeline {

// Starts the arm under callgrind, twice, with one connection for each worker and one request at a
// time on it. What keeps the arm from being counted is in the value (valgrind is missing, the
// server does not bear it, or does not end when told to): a proof stands without it. An error is
// an interruption.
Result<Simulated> simulate_arm(const Design&, const Arm&, const subject::Shape&,
                               const system::Path& folder, Rig&, system::System&);

}  // namespace hone::pipeline
