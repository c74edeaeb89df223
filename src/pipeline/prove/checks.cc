#include "pipeline/prove/checks.h"

#include <algorithm>
#include <cmath>

#include "measure/statistics/power.h"

namespace hone::pipeline {
namespace {

Check check_of(const std::vector<const Round*>& rounds, const std::string& candidate,
               RoundKind kind, Cost cost_of) {
  const auto costs = costs_of(rounds, candidate, cost_of);
  Check check;
  check.kind = kind;
  check.rounds = static_cast<int>(rounds.size());
  for (const auto& cost : costs) {
    check.round_effects.push_back(cost.b / std::sqrt(cost.a * cost.a2) - 1);
  }
  if (check.rounds == 1) {
    const double effect = check.round_effects.front();
    check.estimate = {effect, effect, effect};
    return check;
  }
  const measure::Judgement judgement = measure::judge(costs, {});
  check.estimate = judgement.effect;
  check.pair_sd = judgement.pair_sd;
  check.rounds_for_1pct = measure::rounds_to_find(0.01, check.pair_sd);
  return check;
}

}  // namespace

std::vector<Check> checks_of(const std::vector<const Round*>& rounds, const std::string& candidate,
                             RoundKind counted, Cost cost) {
  std::vector<Check> checks;
  for (const RoundKind kind :
       {RoundKind::kSlices, RoundKind::kInTurn, RoundKind::kWithoutSpinner}) {
    if (kind == counted) continue;
    const auto usable = usable_rounds(rounds, kind);
    const Cost known = has_cost(cost, usable) ? cost : charged_cost;
    if (!usable.empty()) checks.push_back(check_of(usable, candidate, kind, known));
  }
  return checks;
}

std::optional<CpuView> view_by(Cost cost_of, const std::vector<const Round*>& counted,
                               const std::string& candidate, int first_stage) {
  if (counted.size() < 2 || !has_cost(cost_of, counted)) return std::nullopt;
  const auto costs = costs_of(counted, candidate, cost_of);
  CpuView view;
  for (const auto& cost : costs) {
    view.us_a += (cost.a + cost.a2) / 2 * 1e6 / static_cast<double>(costs.size());
    view.us_b += cost.b * 1e6 / static_cast<double>(costs.size());
  }
  measure::JudgeSettings settings;
  settings.first_stage = first_stage;
  view.estimate = measure::judge(costs, settings).effect;
  return view;
}

}  // namespace hone::pipeline
