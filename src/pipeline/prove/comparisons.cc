// From finished rounds to comparisons. Pure: the same rounds give the same report, so `hone report`
// can draw them again without measuring.
#include <fmt/format.h>

#include <cmath>
#include <functional>

#include "base/units.h"
#include "measure/statistics/comparison.h"
#include "measure/statistics/interval.h"
#include "measure/statistics/median.h"
#include "measure/statistics/power.h"
#include "pipeline/prove/block.h"
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

struct CountedCell {  // one candidate on one shape at one load, its counted rounds
  const Arm* candidate = nullptr;
  const subject::Shape* shape = nullptr;
  std::string load, block;
  std::vector<const Round*> all;     // of every kind, spoiled ones too
  std::vector<const Round*> rounds;  // counted ones
  int repeated = 0;
  std::string failure;       // the first of the candidate, the base or its copy
  std::string moved;         // a negative control
  Cost cost = charged_cost;  // that verdicts are drawn from
  std::vector<RoundCost> costs;
  Judgement judgement;
};

const char* metric_of(Cost cost) { return cost == whole_cost ? kWholeMetric : kChargedMetric; }

std::string failure_in(const Round& round, const Trial& trial, const Arm& arm) {
  if (trial.failure.empty()) return "";
  return fmt::format(
      "arm {} ({}), round {}{}: {}", trial.arm, arm.variant, round.number,
      round.kind == RoundKind::kSlices ? std::string() : std::string(" ") + name(round.kind),
      trial.failure);
}

// Not that of the other candidate of the block: it spoils its own comparison only.
std::string first_failure(const Round& round, const Arm& base, const Arm& candidate) {
  std::string own = failure_in(round, trial_of(round, candidate.name), candidate);
  if (!own.empty()) return own;
  const std::string of_base = failure_in(round, base_trial(round), base);
  return of_base.empty() ? failure_in(round, copy_trial(round), base) : of_base;
}

CountedCell collect(const Proof& proof, const Arm& candidate, const subject::Shape& shape,
                    const std::string& load, Cost cost) {
  CountedCell cell;
  cell.candidate = &candidate;
  cell.shape = &shape;
  cell.load = load;
  cell.all = rounds_of(proof.rounds, candidate.name, shape.name, load);
  if (!cell.all.empty()) cell.block = block_of(*cell.all.front());
  const RoundKind counted = counted_kind(proof.design.settings);
  for (const Round* round : cell.all) {
    if (!round->valid && round->kind == counted) ++cell.repeated;
    if (round->valid && cell.failure.empty())
      cell.failure = first_failure(*round, proof.design.base, candidate);
  }
  cell.rounds = usable_rounds(cell.all, counted);
  cell.cost = cost;
  cell.costs = costs_of(cell.rounds, candidate.name, cost);
  cell.moved = cell.rounds.empty() ? "" : moved_control(cell.rounds, candidate.name);
  return cell;
}

// Of a round: one arm's trial, by its role or its name.
using TrialOf = std::function<const Trial&(const Round&)>;

LatencySummary median_latency(const std::vector<const Round*>& rounds, const TrialOf& trial) {
  const auto of = [&](double LatencySummary::* field) {
    std::vector<double> values;
    for (const Round* round : rounds) values.push_back(trial(*round).latency_us.*field);
    return measure::median(std::move(values));
  };
  return {of(&LatencySummary::p50),  of(&LatencySummary::p90), of(&LatencySummary::p99),
          of(&LatencySummary::p999), of(&LatencySummary::max), of(&LatencySummary::mean)};
}

double wakes_per_request(const std::vector<const Round*>& rounds, const TrialOf& trial) {
  double wakes = 0;
  double ok = 0;
  for (const Round* round : rounds) {
    wakes += static_cast<double>(trial(*round).wakes);
    ok += static_cast<double>(trial(*round).ok);
  }
  return ok > 0 ? wakes / ok : 0;
}

// For the others of the family.
std::string holm_reason(const Design& design) {
  if (design.candidates.size() < 2) return "not after Holm's correction for the other shapes";
  return std::string("not after Holm's correction for the other candidates") +
         (design.shapes.size() > 1 ? " and shapes" : "");
}

std::string reason(const Design& design, const CountedCell& cell, Verdict before_holm) {
  const Judgement& j = cell.judgement;
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
  if (before_holm != Verdict::kUnresolved) return holm_reason(design);
  if (j.effect.low <= 0 && j.effect.high >= 0)
    return "the interval includes 0: " + interval(j.effect);
  return "the effect is inside the A/A floor of " + format_percent(j.floor);
}

Comparison proof_of(const Proof& proof, const CountedCell& cell, Verdict before_holm) {
  const Judgement& j = cell.judgement;
  Comparison c;
  c.role = cell.shape->train ? "proof" : "held-out";
  c.a = proof.design.base.name;
  c.b = cell.candidate->name;
  c.shape = cell.shape->name;
  c.load = cell.load;
  c.block = cell.block;
  c.trained = cell.shape->train;
  c.metric = metric_of(cell.cost);
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
  const auto candidate = [&c](const Round& round) -> const Trial& { return trial_of(round, c.b); };
  c.wakes_a = wakes_per_request(cell.rounds, base_trial);
  c.wakes_b = wakes_per_request(cell.rounds, candidate);
  c.latency_a = median_latency(cell.rounds, base_trial);
  c.latency_b = median_latency(cell.rounds, candidate);
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
  c.checks = checks_of(cell.all, c.b, counted_kind(proof.design.settings), cell.cost);
  if (cell.cost == whole_cost) {
    c.charged_cpu = view_by(charged_cost, cell.rounds, c.b, first_stage(proof.design));
  } else {
    c.whole_cpu = view_by(whole_cost, cell.rounds, c.b, first_stage(proof.design));
  }
  c.verdict = j.verdict;
  c.why = reason(proof.design, cell, before_holm);
  return c;
}

// A' against A, from the rounds of a block. Description: the floor already carries it into the
// verdict.
Comparison control_of(const Proof& proof, const CountedCell& cell) {
  Comparison c;
  c.role = "aa";
  c.a = proof.design.base.name;
  c.b = copy_name(proof.design.base);
  c.shape = cell.shape->name;
  c.load = cell.load;
  c.block = cell.block;
  c.trained = cell.shape->train;
  c.metric = metric_of(cell.cost);
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
  c.wakes_a = wakes_per_request(cell.rounds, base_trial);
  c.wakes_b = wakes_per_request(cell.rounds, copy_trial);
  c.latency_a = median_latency(cell.rounds, base_trial);
  c.latency_b = median_latency(cell.rounds, copy_trial);
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

// A family is what a reader chooses the interesting rows from: all candidates on the trained shapes
// of a load, and on the others.
void adjust(std::vector<CountedCell>* cells, bool trained) {
  std::vector<Judgement*> family;
  for (CountedCell& cell : *cells) {
    if (cell.shape->train == trained) family.push_back(&cell.judgement);
  }
  measure::adjust_holm(family);
}

measure::JudgeSettings judge_settings(const Design& design) {
  measure::JudgeSettings settings;
  settings.smallest_effect = design.settings.smallest_effect;
  settings.first_stage = first_stage(design);
  return settings;
}

struct JudgedTotal {
  Total total;
  Judgement judgement;
};

JudgedTotal total_of(const Design& design, const Arm& candidate,
                     const std::vector<CountedCell>& cells, const std::string& load) {
  JudgedTotal judged;
  judged.total.load = load;
  judged.total.b = candidate.name;
  measure::JudgeSettings settings = judge_settings(design);
  std::vector<std::vector<RoundCost>> costs;
  std::vector<double> shares;
  for (const CountedCell& cell : cells) {
    if (!cell.shape->train || cell.candidate != &candidate) continue;
    settings.arm_failed = settings.arm_failed || !cell.failure.empty();
    settings.control_moved = settings.control_moved || !cell.moved.empty();
    if (cell.costs.empty()) continue;
    costs.push_back(cell.costs);
    shares.push_back(cell.shape->share);
  }
  judged.total.shapes = static_cast<int>(costs.size());
  judged.judgement = measure::judge_total(costs, shares, settings);
  return judged;
}

// The totals of all candidates are a family too.
std::vector<Total> totals_of(const Design& design, const std::vector<CountedCell>& cells,
                             const std::string& load) {
  std::vector<JudgedTotal> judged;
  for (const Arm& candidate : design.candidates)
    judged.push_back(total_of(design, candidate, cells, load));
  std::vector<Judgement*> family;
  for (JudgedTotal& one : judged) family.push_back(&one.judgement);
  measure::adjust_holm(family);
  std::vector<Total> totals;
  for (JudgedTotal& one : judged) {
    one.total.estimate = one.judgement.effect;
    one.total.verdict = one.judgement.verdict;
    totals.push_back(std::move(one.total));
  }
  return totals;
}

std::vector<CountedCell> cells_at(const Proof& proof, const std::string& load, Cost cost) {
  std::vector<CountedCell> cells;
  for (const auto& shape : proof.design.shapes) {
    for (const Arm& candidate : proof.design.candidates) {
      CountedCell cell = collect(proof, candidate, shape, load, cost);
      measure::JudgeSettings settings = judge_settings(proof.design);
      settings.arm_failed = !cell.failure.empty();
      settings.control_moved = !cell.moved.empty();
      cell.judgement = measure::judge(cell.costs, settings);
      cells.push_back(std::move(cell));
    }
  }
  return cells;
}

}  // namespace

void draw_comparisons(Proof* proof) {
  proof->comparisons.clear();
  proof->totals.clear();
  const Cost cost = headline_cost(proof->design, proof->rounds);
  for (const Load& load : proof->design.loads) {
    std::vector<CountedCell> cells = cells_at(*proof, load.name, cost);
    std::vector<Verdict> before;
    for (const CountedCell& cell : cells) before.push_back(cell.judgement.verdict);
    adjust(&cells, true);
    adjust(&cells, false);
    for (std::size_t i = 0; i < cells.size(); ++i) {
      proof->comparisons.push_back(proof_of(*proof, cells[i], before[i]));
      // One for each block, after its last candidate.
      const bool last = i + 1 == cells.size() || cells[i + 1].shape != cells[i].shape ||
                        cells[i + 1].block != cells[i].block;
      if (last) proof->comparisons.push_back(control_of(*proof, cells[i]));
    }
    for (Total& total : totals_of(proof->design, cells, load.name))
      proof->totals.push_back(std::move(total));
  }
  proof->work_and_wakes = draw_work_and_wakes(*proof);
}

}  // namespace hone::pipeline
