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

using Cost = double (*)(const Trial&);
// Each arm has it in each round.
bool has_cost(Cost, const std::vector<const Round*>&);

// What verdicts are drawn from. Of load that comes over a network a good part is work in soft
// interrupts, charged to nobody or to whoever was running: then the whole is counted, where every
// counted round has it, and the charged cost elsewhere.
Cost headline_cost(const Design&, const std::vector<const Round*>&);
Cost headline_cost(const Design&, const std::vector<Round>&);

// Valid rounds of one kind in order of their numbers, no arm failed, every arm with a cost.
std::vector<const Round*> usable_rounds(const std::vector<const Round*>&, RoundKind);

// One candidate against the base and its copy. Precondition of these: the rounds' block has it.
const Trial& base_trial(const Round&);
const Trial& copy_trial(const Round&);
const Trial& trial_of(const Round&, const std::string& arm);
std::vector<measure::RoundCost> costs_of(const std::vector<const Round*>&,
                                         const std::string& candidate, Cost);

}  // namespace hone::pipeline
