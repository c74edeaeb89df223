#include "pipeline/prove/checks.h"

#include <algorithm>
#include <cmath>

#include "measure/statistics/power.h"
#include "pipeline/prove/round_costs.h"

namespace hone::pipeline {
namespace {

Check check_of(const std::vector<const Round*>& rounds, const std::string& candidate,
               RoundKind kind) {
  const auto costs = costs_of(rounds, candidate, charged_cost);
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
                             RoundKind counted) {
  std::vector<Check> checks;
  for (const RoundKind kind :
       {RoundKind::kSlices, RoundKind::kInTurn, RoundKind::kWithoutSpinner}) {
    if (kind == counted) continue;
    const auto usable = usable_rounds(rounds, kind);
    if (!usable.empty()) checks.push_back(check_of(usable, candidate, kind));
  }
  return checks;
}

std::optional<WholeCpu> whole_cpu_of(const std::vector<const Round*>& counted,
                                     const std::string& candidate, int first_stage) {
  const auto costs = costs_of(counted, candidate, whole_cost);
  const bool all = std::all_of(costs.begin(), costs.end(), [](const measure::RoundCost& cost) {
    return cost.a > 0 && cost.b > 0 && cost.a2 > 0;
  });
  if (costs.size() < 2 || !all) return std::nullopt;
  WholeCpu whole;
  for (const auto& cost : costs) {
    whole.us_a += (cost.a + cost.a2) / 2 * 1e6 / static_cast<double>(costs.size());
    whole.us_b += cost.b * 1e6 / static_cast<double>(costs.size());
  }
  measure::JudgeSettings settings;
  settings.first_stage = first_stage;
  whole.estimate = measure::judge(costs, settings).effect;
  return whole;
}

}  // namespace hone::pipeline
