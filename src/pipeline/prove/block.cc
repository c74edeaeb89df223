#include "pipeline/prove/block.h"

#include <algorithm>

#include "base/text.h"
#include "pipeline/plan/round_plan.h"

namespace hone::pipeline {
namespace {

Block block_with(const Design& design, const CandidateDeal& deal) {
  Block block;
  block.arms.push_back(design.base);
  for (std::size_t i = deal.first; i < deal.first + deal.count; ++i)
    block.arms.push_back(design.candidates[i]);
  block.arms.push_back(design.base);
  block.arms.back().name = copy_name(design.base);
  return block;
}

bool has_trial(const Round& round, const std::string& arm) {
  return std::any_of(round.trials.begin(), round.trials.end(),
                     [&arm](const Trial& trial) { return trial.arm == arm; });
}

}  // namespace

std::vector<Block> deal(const Design& design) {
  std::vector<Block> blocks;
  for (const CandidateDeal& one : deal_candidates(design.candidates.size()))
    blocks.push_back(block_with(design, one));
  return blocks;
}

Block without(const Block& block, const std::vector<std::string>& arms) {
  Block rest;
  for (const Arm& arm : block.arms) {
    if (std::find(arms.begin(), arms.end(), arm.name) == arms.end()) rest.arms.push_back(arm);
  }
  // The base, its copy and one candidate at the least, or there is nothing to compare.
  const bool based = rest.arms.size() > 2 && rest.arms.front().name == block.arms.front().name &&
                     rest.arms.back().name == block.arms.back().name;
  return based ? rest : Block{};
}

std::vector<std::string> candidates_of(const Block& block) {
  std::vector<std::string> names;
  for (std::size_t i = 1; i + 1 < block.arms.size(); ++i) names.push_back(block.arms[i].name);
  return names;
}

std::string name(const Block& block) { return join(candidates_of(block), "+"); }

std::vector<const Round*> rounds_of(const std::vector<Round>& rounds, const std::string& candidate,
                                    const std::string& shape, const std::string& load) {
  std::vector<const Round*> found;
  std::size_t fewest = 0;  // arms
  for (const Round& round : rounds) {
    if (round.shape != shape || round.load != load || !has_trial(round, candidate)) continue;
    found.push_back(&round);
    fewest = found.size() == 1 ? round.trials.size() : std::min(fewest, round.trials.size());
  }
  std::erase_if(found, [fewest](const Round* round) { return round->trials.size() > fewest; });
  return found;
}

}  // namespace hone::pipeline
