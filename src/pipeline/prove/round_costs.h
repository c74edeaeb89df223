// What a request cost each arm in each round: the numbers that all statistics start from.
#pragma once

#include <string>
#include <vector>

#include "measure/statistics/comparison.h"
#include "pipeline/prove/proof.h"

namespace hone::pipeline {

// CPU seconds per successful response, as charged to the arm's processes; 0 without an answer.
double charged_cost(const Trial&);
// As the server's CPUs could not be used for anything else; 0 without an answer or a spinner.
double whole_cost(const Trial&);

// Valid rounds of one kind in order of their numbers, no arm failed, every arm with a cost.
std::vector<const Round*> usable_rounds(const std::vector<const Round*>&, RoundKind);

// One candidate against the base and its copy. Precondition of these: the rounds' block has it.
const Trial& base_trial(const Round&);
const Trial& copy_trial(const Round&);
const Trial& trial_of(const Round&, const std::string& arm);
std::vector<measure::RoundCost> costs_of(const std::vector<const Round*>&,
                                         const std::string& candidate,
                                         double (*cost)(const Trial&));

}  // namespace hone::pipeline
