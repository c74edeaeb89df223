// The effect of a candidate once more, in other ways, beside the one that the verdict is drawn
// from.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "pipeline/prove/proof.h"

namespace hone::pipeline {

// By rounds of each other kind that there are, of one block, shape and load.
std::vector<Check> checks_of(const std::vector<const Round*>&, const std::string& candidate,
                             RoundKind counted);

// By what was left of the server's CPUs, over counted rounds; nothing without a spinner in each.
std::optional<WholeCpu> whole_cpu_of(const std::vector<const Round*>& counted,
                                     const std::string& candidate, int first_stage);

}  // namespace hone::pipeline
