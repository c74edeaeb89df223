// Which arms are alive together: four at once at most. With more of them every arm would rest
// longer between its slices, and a round take so long that the machine drifts within it.
#pragma once

#include <string>
#include <vector>

#include "pipeline/prove/proof.h"

namespace hone::pipeline {

// The arms of a round: the base, one candidate or two, and a byte copy of the base, in this order.
// The trials of its rounds lie in the same order.
struct Block {
  std::vector<Arm> arms;
};

// Two candidates to a block, in order: a full block stays as it is when one is added at the end.
std::vector<Block> deal(const Design&);
// The block that is left when these arms fell out. No arms: nothing is left to compare.
Block without(const Block&, const std::vector<std::string>& arms);

std::vector<std::string> candidates_of(const Block&);
std::string name(const Block&);  // as block_of() its rounds

// The rounds in which a candidate was measured on a shape at a load, of every kind and spoiled ones
// too: those of its block, or where the other candidate failed there, those of the block it then
// had to itself. All of one block, so all with the same arms.
std::vector<const Round*> rounds_of(const std::vector<Round>&, const std::string& candidate,
                                    const std::string& shape, const std::string& load);

}  // namespace hone::pipeline
