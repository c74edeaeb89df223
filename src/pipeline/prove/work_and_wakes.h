// What a request costs beside waking up, from loads of one rate whose arrivals differ.
#pragma once

#include "pipeline/prove/proof.h"

namespace hone::pipeline {

// One for each candidate, shape and rate with at least measure::kLeastPatterns loads of different
// arrivals, from their counted rounds.
std::vector<WorkAndWakes> draw_work_and_wakes(const Proof&);

}  // namespace hone::pipeline
