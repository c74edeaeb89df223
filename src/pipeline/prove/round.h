// One round: one process lifetime of every arm of a block, load going to one of them at a time;
// which are alive meanwhile is a matter of its kind.
#pragma once

#include "pipeline/prove/block.h"
#include "pipeline/prove/proof.h"
#include "pipeline/prove/rig.h"

namespace hone::pipeline {

// `attempt` above 1 repeats a spoiled one with the same order and arrivals.
// An arm's own failure is in its trial; only what is nobody's result is an error.
Result<Round> run_round(const Design&, const Block&, const subject::Shape&, const ResolvedLoad&,
                        const PlannedRound&, int attempt, const system::Path& folder, Rig&,
                        system::System&);

}  // namespace hone::pipeline
