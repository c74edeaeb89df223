#include "pipeline/prove/cell.h"

#include <algorithm>

#include "measure/statistics/precision.h"
#include "pipeline/prove/round_costs.h"

namespace hone::pipeline {
namespace {

// Raised when rounds are measured or judged in another way: old ones do not stand beside new ones.
constexpr int kRoundVersion = 6;

}  // namespace

void Cell::add(Round round) {
  failed = failed || !failure_of(round).empty();
  rounds.push_back(std::move(round));
}

bool Cell::has(const PlannedRound& planned) const {
  return std::any_of(rounds.begin(), rounds.end(), [&planned](const Round& round) {
    return round.valid && round.kind == planned.kind && round.number == planned.number;
  });
}

int Cell::attempts(const PlannedRound& planned) const {
  return static_cast<int>(
      std::count_if(rounds.begin(), rounds.end(), [&planned](const Round& round) {
        return round.kind == planned.kind && round.number == planned.number;
      }));
}

int Cell::finished(const Prove& settings) const {
  const auto plan = plan_rounds(settings, wanted);
  return static_cast<int>(std::count_if(plan.begin(), plan.end(),
                                        [this](const PlannedRound& one) { return has(one); }));
}

Block Cell::rest() const {
  std::vector<std::string> names;
  for (const Round& round : rounds) {
    for (const Trial& trial : round.trials) {
      if (!trial.failure.empty()) names.push_back(trial.arm);
    }
  }
  return without(block, names);
}

std::string failure_of(const Round& round) {
  for (const Trial& trial : round.trials) {
    if (!trial.failure.empty()) return "arm " + trial.arm + ": " + trial.failure;
  }
  return "";
}

int wanted_rounds(const Design& design, const Cell& cell) {
  const Prove& settings = design.settings;
  if (settings.precision <= 0) return settings.rounds;
  std::vector<const Round*> first;
  for (const Round& round : cell.rounds) {
    if (round.number <= settings.rounds) first.push_back(&round);
  }
  const auto stage = usable_rounds(first, counted_kind(settings));
  if (static_cast<int>(stage.size()) < settings.rounds) return settings.rounds;
  const Cost cost = headline_cost(design, stage);
  int wanted = settings.rounds;
  for (const std::string& candidate : candidates_of(cell.block)) {
    wanted = std::max(wanted, measure::rounds_for_precision(costs_of(stage, candidate, cost),
                                                            settings.precision));
  }
  return std::min(kMostRounds, wanted);
}

Fingerprint cell_fingerprint(const Design& design, const Cell& cell) {
  Fingerprint print;
  print.add("round version", Json(kRoundVersion));
  add_to(&print, design, cell.block.arms, *cell.shape);
  print.add("load", Json(*cell.load));
  Json settings = design.settings;
  for (const char* key : {"rounds", "precision", "rounds_in_turn", "rounds_without_spinner",
                          "smallest_effect", "cpus", "callgrind", "hosts"}) {
    settings.erase(key);
  }
  print.add("prove", settings);
  return print;
}

}  // namespace hone::pipeline
