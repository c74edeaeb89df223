// Orders in which arms take turns: Williams designs, drawn from a seed.
#pragma once

#include <vector>

#include "base/random.h"

namespace hone::measure {

// A sequence of arm indices for one round: every arm `slices` times; over the sequence every arm
// follows every other equally often (to within one), and never itself. Every stretch of `arms`
// slices from the start holds each arm once, so a drift within the round meets all arms alike.
// arms 2 to 4, slices at least 1; anything else gives an empty sequence.
std::vector<int> slice_order(int arms, int slices, Random& random);

}  // namespace hone::measure
