// Stage 6: the proof. Rounds of interleaved slices, A' inside each; every finished round is on disk
// before the next begins, so a cut proof goes on where it was.
#pragma once

#include "pipeline/observer.h"
#include "pipeline/prove/proof.h"
#include "pipeline/store/store.h"
#include "system/system.h"

namespace hone::pipeline {

// Finished rounds are kept in the store, one folder per shape and load (so that a changed shape
// leaves the others' rounds alone), one JSON file each. `work_folder`: run folders of the arms,
// with their logs; what the last round left stays there to be read.
Result<Proof> prove(const Design&, Store&, const system::Path& work_folder, system::System&,
                    Observer&);

// The comparisons of finished rounds: no measuring, so `hone report` can draw them again.
void draw_comparisons(Proof* proof);

}  // namespace hone::pipeline
