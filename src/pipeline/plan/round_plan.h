// Which rounds a shape gets at a load, and when: the counted ones, and between them a few of other
// kinds that check what the counted ones take for granted. And for how many candidates at once.
#pragma once

#include <cstddef>
#include <vector>

#include "base/json.h"
#include "pipeline/recipe/recipe.h"

namespace hone::pipeline {

// How the arms of a round get their load.
enum class RoundKind {
  kSlices,         // all alive, in slices that alternate
  kInTurn,         // one after the other, each alone alive
  kWithoutSpinner  // as kSlices, and the server's CPUs may sleep
};
NLOHMANN_JSON_SERIALIZE_ENUM(RoundKind, {{RoundKind::kSlices, "slices"},
                                         {RoundKind::kInTurn, "in turn"},
                                         {RoundKind::kWithoutSpinner, "without spinner"}})
const char* name(RoundKind);

// The kind that a verdict is drawn from.
RoundKind counted_kind(const Prove&);

struct PlannedRound {
  RoundKind kind = RoundKind::kSlices;
  int number = 0;  // of its kind, from 1
};

// `counted` rounds in order; those of each checking kind lie spread evenly between them, so that
// the drift of hours falls on all kinds alike. No kind checks itself: where rounds in turn are the
// counted ones, or the spinner is off, that check is left out.
std::vector<PlannedRound> plan_rounds(const Prove&, int counted);

// Candidates that are alive together, with the base and its copy beside them.
struct CandidateDeal {
  std::size_t first = 0, count = 0;
};
// Two to a block, in order; the last has what is left.
std::vector<CandidateDeal> deal_candidates(std::size_t candidates);

}  // namespace hone::pipeline
