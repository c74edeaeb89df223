// The effect of a candidate once more, in other ways, beside the one that the verdict is drawn
// from.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "pipeline/prove/round_costs.h"

namespace hone::pipeline {

// By rounds of each other kind that there are, of one block, shape and load; those without a
// spinner by the charged cost, which is all they have.
std::vector<Check> checks_of(const std::vector<const Round*>&, const std::string& candidate,
                             RoundKind counted, Cost);

// By another cost over the counted rounds; nothing where one of them lacks it.
std::optional<CpuView> view_by(Cost, const std::vector<const Round*>& counted,
                               const std::string& candidate, int first_stage);

}  // namespace hone::pipeline
