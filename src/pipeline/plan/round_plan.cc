#include "pipeline/plan/round_plan.h"

#include <algorithm>

namespace hone::pipeline {
namespace {

// In a block: four arms are alive at once (prove/block.h).
constexpr std::size_t kMostCandidates = 2;

// How many of `checks` are due once `done` of `counted` rounds are: the k-th at k/(checks + 1) of
// the way, rounded up.
int due(int checks, int done, int counted) {
  int all = 0;
  while (all < checks && done * (checks + 1) >= (all + 1) * counted) ++all;
  return all;
}

}  // namespace

const char* name(RoundKind kind) {
  switch (kind) {
    case RoundKind::kSlices:
      return "slices";
    case RoundKind::kInTurn:
      return "in turn";
    case RoundKind::kWithoutSpinner:
      return "without spinner";
  }
  return "slices";
}

RoundKind counted_kind(const Prove& settings) {
  return settings.side_by_side ? RoundKind::kSlices : RoundKind::kInTurn;
}

std::vector<PlannedRound> plan_rounds(const Prove& settings, int counted) {
  // All kinds but in turn want the arms side by side.
  const int in_turn = settings.side_by_side ? settings.rounds_in_turn : 0;
  const int without_spinner =
      settings.side_by_side && settings.spinner ? settings.rounds_without_spinner : 0;
  std::vector<PlannedRound> plan;
  int turns = 0, quiet = 0;
  for (int number = 1; number <= counted; ++number) {
    plan.push_back({counted_kind(settings), number});
    while (turns < due(in_turn, number, counted)) plan.push_back({RoundKind::kInTurn, ++turns});
    while (quiet < due(without_spinner, number, counted)) {
      plan.push_back({RoundKind::kWithoutSpinner, ++quiet});
    }
  }
  return plan;
}

std::vector<CandidateDeal> deal_candidates(std::size_t candidates) {
  std::vector<CandidateDeal> deals;
  for (std::size_t first = 0; first < candidates; first += kMostCandidates)
    deals.push_back({first, std::min(kMostCandidates, candidates - first)});
  return deals;
}

}  // namespace hone::pipeline
