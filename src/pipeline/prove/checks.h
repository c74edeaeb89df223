// The effect once more, in other ways, beside the one that the verdict is drawn from.
#pragma once

#include <optional>
#include <vector>

#include "pipeline/prove/proof.h"

namespace hone::pipeline {

// By rounds of each other kind that there are, of one shape at one load.
std::vector<Check> checks_of(const std::vector<Round>&, RoundKind counted);

// By what was left of the server's CPUs, over counted rounds; nothing without a spinner in each.
std::optional<WholeCpu> whole_cpu_of(const std::vector<const Round*>& counted, int first_stage);

}  // namespace hone::pipeline
