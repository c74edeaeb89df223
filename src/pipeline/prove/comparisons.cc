// From finished rounds to comparisons. Pure: the same rounds give the same report, so `hone report`
// can draw them again without measuring.
#include <fmt/format.h>

#include <cmath>

#include "base/units.h"
#include "measure/statistics/comparison.h"
#include "measure/statistics/interval.h"
#include "measure/statistics/median.h"
#include "measure/statistics/power.h"
#include "pipeline/prove/checks.h"
#include "pipeline/prove/prove.h"
#include "pipeline/prove/round_costs.h"
#include "pipeline/prove/validity.h"
#include "pipeline/prove/work_and_wakes.h"

namespace hone::pipeline {
namespace {

using measure::Judgement;
using measure::RoundCost;
using measure::Verdict;
using traffic::load::LatencySummary;

// Rounds whose scatter the intervals rest on; 0: all of them.
int first_stage(const Design& design) {
  return design.settings.precision > 0 ? design.settings.rounds : 0;
}

struct CountedCell {  // one shape at one load, its counted rounds
  const subject::Shape* shape = nullptr;
  std::string load;
  std::vector<Round> all;            // of every kind, spoiled ones too
  std::vector<const Round*> rounds;  // counted ones
  int repeated = 0;
  std::string failure;  // of the first arm that failed
  std::string moved;    // a negative control
  std::vector<RoundCost> costs;
  Judgement judgement;
};

std::string failure_in(const Round& round, const Design& design) {
  for (const Trial& trial : round.trials) {
    if (trial.failure.empty()) continue;
    const std::string& variant = design.arms[trial.arm == "B" ? 1 : 0].variant;
    return fmt::format(
        "arm {} ({}), round {}{}: {}", trial.arm, variant, round.number,
        round.kind == RoundKind::kSlices ? std::string() : std::string(" ") + name(round.kind),
        trial.failure);
  }
  return "";
}

CountedCell collect(const Proof& proof, const subject::Shape& shape, const std::string& load) {
  CountedCell cell;
  cell.shape = &shape;
  cell.load = load;
  for (const Round& round : proof.rounds) {
    if (round.shape == shape.name && round.load == load) cell.all.push_back(round);
  }
  const RoundKind counted = counted_kind(proof.design.settings);
  for (const Round& round : cell.all) {
    if (!round.valid && round.kind == counted) ++cell.repeated;
    if (round.valid && cell.failure.empty()) cell.failure = failure_in(round, proof.design);
  }
  cell.rounds = usable_rounds(cell.all, counted);
  cell.costs = costs_of(cell.rounds, charged_cost);
  cell.moved = cell.rounds.empty() ? "" : moved_control(cell.rounds);
  return cell;
}

LatencySummary median_latency(const std::vector<const Round*>& rounds, std::size_t arm) {
  const auto of = [&](double LatencySummary::* field) {
    std::vector<double> values;
    for (const Round* round : rounds) values.push_back(round->trials[arm].latency_us.*field);
    return measure::median(std::move(values));
  };
  return {of(&LatencySummary::p50),  of(&LatencySummary::p90), of(&LatencySummary::p99),
          of(&LatencySummary::p999), of(&LatencySummary::max), of(&LatencySummary::mean)};
}

double wakes_per_request(const std::vector<const Round*>& rounds, std::size_t arm) {
  double wakes = 0;
  double ok = 0;
  for (const Round* round : rounds) {
    wakes += static_cast<double>(round->trials[arm].wakes);
    ok += static_cast<double>(round->trials[arm].ok);
  }
  return ok > 0 ? wakes / ok : 0;
}

std::string reason(const CountedCell& cell, const Judgement& j, Verdict before_holm) {
  const auto interval = [](const measure::Estimate& e) {
    return format_signed_percent(e.low) + " to " + format_signed_percent(e.high);
  };
  switch (j.verdict) {
    case Verdict::kFailed:
      return cell.failure;
    case Verdict::kWithheld:
      if (!cell.moved.empty()) return cell.moved;
      return "A against its own copy is not zero: " + interval(j.aa);
    case Verdict::kSame:
      return "the 90 % interval lies inside what does not matter";
    case Verdict::kSaved:
    case Verdict::kWorse:
      return "the interval excludes 0 and the effect is beyond the A/A floor of " +
             format_percent(j.floor);
    case Verdict::kUnresolved:
      break;
  }
  if (j.rounds < 6) return fmt::format("{} rounds: a verdict needs at least 6", j.rounds);
  if (before_holm != Verdict::kUnresolved)
    return "not after Holm's correction for the other shapes";
  if (j.effect.low <= 0 && j.effect.high >= 0)
    return "the interval includes 0: " + interval(j.effect);
  return "the effect is inside the A/A floor of " + format_percent(j.floor);
}

Comparison proof_of(const Proof& proof, const CountedCell& cell, Verdict before_holm) {
  const Judgement& j = cell.judgement;
  Comparison c;
  c.role = cell.shape->train ? "proof" : "held-out";
  c.a = proof.design.arms[0].name;
  c.b = proof.design.arms[1].name;
  c.shape = cell.shape->name;
  c.load = cell.load;
  c.trained = cell.shape->train;
  c.estimate = j.effect;
  c.aa = j.aa;
  std::vector<double> saved;
  for (const RoundCost& cost : cell.costs) {
    const double a = (cost.a + cost.a2) / 2;
    c.us_a += a * 1e6 / static_cast<double>(cell.costs.size());
    c.us_b += cost.b * 1e6 / static_cast<double>(cell.costs.size());
    saved.push_back((a - cost.b) * 1e6);
    c.round_effects.push_back(cost.b / std::sqrt(cost.a * cost.a2) - 1);
    c.round_aa.push_back(cost.a2 / cost.a - 1);
  }
  const auto us = measure::mean_interval(saved);
  c.us_saved = us.effect;
  c.us_saved_low = us.low;
  c.us_saved_high = us.high;
  c.wakes_a = wakes_per_request(cell.rounds, 0);
  c.wakes_b = wakes_per_request(cell.rounds, 1);
  c.latency_a = median_latency(cell.rounds, 0);
  c.latency_b = median_latency(cell.rounds, 1);
  c.rounds = j.rounds;
  c.won = j.won;
  c.repeated = cell.repeated;
  c.hodges_lehmann = j.hodges_lehmann;
  c.pair_sd = j.pair_sd;
  c.p_value = j.p_value;
  c.floor = j.floor;
  c.smallest_detectable = j.smallest_detectable;
  c.rounds_needed = j.rounds_needed;
  if (j.rounds >= 2) c.rounds_for_1pct = measure::rounds_to_find(0.01, j.pair_sd);
  c.checks = checks_of(cell.all, counted_kind(proof.design.settings));
  c.whole_cpu = whole_cpu_of(cell.rounds, first_stage(proof.design));
  c.verdict = j.verdict;
  c.why = reason(cell, j, before_holm);
  return c;
}

// A' against A, from the same rounds. Description: the floor already carries it into the verdict.
Comparison control_of(const Proof& proof, const CountedCell& cell) {
  Comparison c;
  c.role = "aa";
  c.a = proof.design.arms[0].name;
  c.b = proof.design.arms[2].name;
  c.shape = cell.shape->name;
  c.load = cell.load;
  c.trained = cell.shape->train;
  c.estimate = cell.judgement.aa;
  c.aa = cell.judgement.aa;
  std::vector<double> saved;
  std::vector<RoundCost> copies;  // with A on both sides the effect is the plain ratio
  for (const RoundCost& cost : cell.costs) {
    c.us_a += cost.a * 1e6 / static_cast<double>(cell.costs.size());
    c.us_b += cost.a2 * 1e6 / static_cast<double>(cell.costs.size());
    saved.push_back((cost.a - cost.a2) * 1e6);
    copies.push_back({cost.a, cost.a2, cost.a});
    c.round_effects.push_back(cost.a2 / cost.a - 1);
  }
  const auto us = measure::mean_interval(saved);
  c.us_saved = us.effect;
  c.us_saved_low = us.low;
  c.us_saved_high = us.high;
  const Judgement copy = measure::judge(copies, {});
  c.won = copy.won;
  c.hodges_lehmann = copy.hodges_lehmann;
  c.pair_sd = copy.pair_sd;
  c.p_value = copy.p_value;
  c.floor = cell.judgement.floor;
  c.wakes_a = wakes_per_request(cell.rounds, 0);
  c.wakes_b = wakes_per_request(cell.rounds, 2);
  c.latency_a = median_latency(cell.rounds, 0);
  c.latency_b = median_latency(cell.rounds, 2);
  c.rounds = cell.judgement.rounds;
  c.repeated = cell.repeated;
  const bool zero_inside = c.estimate.low <= 0 && c.estimate.high >= 0;
  c.verdict = c.rounds < 2  ? Verdict::kUnresolved
              : zero_inside ? Verdict::kSame
                            : Verdict::kWithheld;
  c.why = zero_inside ? "a copy against itself: the interval includes 0"
                      : "a copy against itself differs: the shape's verdict is withheld";
  return c;
}

void adjust(std::vector<CountedCell>* cells, bool trained) {
  std::vector<Judgement*> family;
  for (CountedCell& cell : *cells) {
    if (cell.shape->train == trained) family.push_back(&cell.judgement);
  }
  measure::adjust_holm(family);
}

Total total_of(const Proof& proof, const std::vector<CountedCell>& cells, const std::string& load) {
  Total total;
  total.load = load;
  measure::JudgeSettings settings;
  settings.smallest_effect = proof.design.settings.smallest_effect;
  settings.first_stage = first_stage(proof.design);
  std::vector<std::vector<RoundCost>> costs;
  std::vector<double> shares;
  for (const CountedCell& cell : cells) {
    if (!cell.shape->train) continue;
    settings.arm_failed = settings.arm_failed || !cell.failure.empty();
    settings.control_moved = settings.control_moved || !cell.moved.empty();
    if (cell.costs.empty()) continue;
    costs.push_back(cell.costs);
    shares.push_back(cell.shape->share);
  }
  total.shapes = static_cast<int>(costs.size());
  if (costs.empty() && !settings.arm_failed) return total;
  if (costs.empty()) {
    total.verdict = Verdict::kFailed;
    return total;
  }
  const Judgement judged = measure::judge_total(costs, shares, settings);
  total.estimate = judged.effect;
  total.verdict = judged.verdict;
  return total;
}

}  // namespace

void draw_comparisons(Proof* proof) {
  proof->comparisons.clear();
  proof->totals.clear();
  for (const Load& load : proof->design.loads) {
    std::vector<CountedCell> cells;
    for (const auto& shape : proof->design.shapes) {
      CountedCell cell = collect(*proof, shape, load.name);
      measure::JudgeSettings settings;
      settings.smallest_effect = proof->design.settings.smallest_effect;
      settings.first_stage = first_stage(proof->design);
      settings.arm_failed = !cell.failure.empty();
      settings.control_moved = !cell.moved.empty();
      cell.judgement = measure::judge(cell.costs, settings);
      cells.push_back(std::move(cell));
    }
    std::vector<Verdict> before;
    for (const CountedCell& cell : cells) before.push_back(cell.judgement.verdict);
    adjust(&cells, true);
    adjust(&cells, false);
    for (std::size_t i = 0; i < cells.size(); ++i) {
      proof->comparisons.push_back(proof_of(*proof, cells[i], before[i]));
      proof->comparisons.push_back(control_of(*proof, cells[i]));
    }
    proof->totals.push_back(total_of(*proof, cells, load.name));
  }
  proof->work_and_wakes = draw_work_and_wakes(*proof);
}

}  // namespace hone::pipeline
