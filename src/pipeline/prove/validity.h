// Whose fault was it? Judged blind to the CPU figures.
#pragma once

#include <string>
#include <vector>

#include "pipeline/prove/proof.h"

namespace hone::pipeline {

// Sets trial.failure (errors, restart, a rate it did not hold: the arm's own fault, never repeated)
// and, when no arm failed, round.valid and why_invalid (the environment's fault: the round is
// repeated).
void judge_round(Round* round, double target_rate);

// A negative control that differs between the base and a candidate over the counted rounds: what
// and by how much; "" when all hold. Body bytes, upstream requests and each status code, per
// answer.
std::string moved_control(const std::vector<const Round*>& rounds, const std::string& candidate);

}  // namespace hone::pipeline
