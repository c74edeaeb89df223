#include "pipeline/prove/round_costs.h"

#include <algorithm>

namespace hone::pipeline {
namespace {

double per_response(double seconds, const Trial& trial) {
  return trial.ok > 0 ? seconds / static_cast<double>(trial.ok) : 0;
}

bool is_usable(const Round& round) {
  return round.valid && round.trials.size() > 2 &&
         std::all_of(round.trials.begin(), round.trials.end(), [](const Trial& trial) {
           return trial.failure.empty() && charged_cost(trial) > 0;
         });
}

}  // namespace

double charged_cost(const Trial& trial) { return per_response(trial.cpu_total_s, trial); }

double whole_cost(const Trial& trial) { return per_response(trial.whole_cpu_s, trial); }

bool has_cost(Cost cost, const std::vector<const Round*>& rounds) {
  return std::all_of(rounds.begin(), rounds.end(), [cost](const Round* round) {
    return std::all_of(round->trials.begin(), round->trials.end(),
                       [cost](const Trial& trial) { return cost(trial) > 0; });
  });
}

Cost headline_cost(const Design& design, const std::vector<const Round*>& rounds) {
  if (!design.settings.hosts.load.is_far()) return charged_cost;
  const auto counted = usable_rounds(rounds, counted_kind(design.settings));
  return has_cost(whole_cost, counted) ? whole_cost : charged_cost;
}

Cost headline_cost(const Design& design, const std::vector<Round>& rounds) {
  std::vector<const Round*> all;
  for (const Round& round : rounds) all.push_back(&round);
  return headline_cost(design, all);
}

std::vector<const Round*> usable_rounds(const std::vector<const Round*>& rounds, RoundKind kind) {
  std::vector<const Round*> usable;
  for (const Round* round : rounds) {
    if (round->kind == kind && is_usable(*round)) usable.push_back(round);
  }
  std::stable_sort(usable.begin(), usable.end(),
                   [](const Round* a, const Round* b) { return a->number < b->number; });
  return usable;
}

const Trial& base_trial(const Round& round) { return round.trials.front(); }

const Trial& copy_trial(const Round& round) { return round.trials.back(); }

const Trial& trial_of(const Round& round, const std::string& arm) {
  return *std::find_if(round.trials.begin(), round.trials.end(),
                       [&arm](const Trial& trial) { return trial.arm == arm; });
}

std::vector<measure::RoundCost> costs_of(const std::vector<const Round*>& rounds,
                                         const std::string& candidate, Cost cost) {
  std::vector<measure::RoundCost> costs;
  for (const Round* round : rounds) {
    costs.push_back(
        {cost(base_trial(*round)), cost(trial_of(*round, candidate)), cost(copy_trial(*round))});
  }
  return costs;
}

}  // namespace hone::pipeline
