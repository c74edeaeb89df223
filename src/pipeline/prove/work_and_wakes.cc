#include "pipeline/prove/work_and_wakes.h"

#include <set>

#include "measure/statistics/wakes_fit.h"
#include "pipeline/prove/block.h"
#include "pipeline/prove/round_costs.h"

namespace hone::pipeline {
namespace {

using measure::WakePoint;

struct PatternRounds {
  std::string load;
  std::vector<const Round*> rounds;
};

std::vector<PatternRounds> patterns_of(const Proof& proof, const std::string& candidate,
                                       const std::string& shape, double rate) {
  std::vector<PatternRounds> patterns;
  for (const ResolvedLoad& load : proof.loads) {
    if (load.shape != shape || load.rate != rate) continue;
    patterns.push_back(
        {load.load, usable_rounds(rounds_of(proof.rounds, candidate, shape, load.load),
                                  counted_kind(proof.design.settings))});
  }
  return patterns;
}

WakePoint point_of(const Trial& trial) {
  return {charged_cost(trial) * 1e6,
          static_cast<double>(trial.wakes) / static_cast<double>(trial.ok)};
}

std::optional<WorkAndWakes::Arm> arm_fit(const std::vector<PatternRounds>& patterns,
                                         const std::string& arm) {
  std::vector<std::vector<WakePoint>> points;
  for (const PatternRounds& pattern : patterns) {
    points.emplace_back();
    for (const Round* round : pattern.rounds)
      points.back().push_back(point_of(trial_of(*round, arm)));
  }
  const auto fit = measure::fit_wakes(points);
  if (!fit) return std::nullopt;
  WorkAndWakes::Arm found;
  found.arm = arm;
  found.work_us = fit->work;
  found.work_us_low = fit->work_low;
  found.work_us_high = fit->work_high;
  found.us_per_wake = fit->per_wake;
  found.lack_of_fit_p = fit->lack_of_fit_p;
  found.holds = fit->holds();
  return found;
}

double same_saving_p(const std::vector<PatternRounds>& patterns, const std::string& candidate) {
  std::vector<std::vector<double>> saved;
  for (const PatternRounds& pattern : patterns) {
    saved.emplace_back();
    for (const auto& cost : costs_of(pattern.rounds, candidate, charged_cost)) {
      saved.back().push_back(((cost.a + cost.a2) / 2 - cost.b) * 1e6);
    }
  }
  return measure::same_mean_p(saved);
}

std::optional<WorkAndWakes> draw_one(const Proof& proof, const std::string& candidate,
                                     const std::string& shape, double rate) {
  const auto patterns = patterns_of(proof, candidate, shape, rate);
  WorkAndWakes found;
  found.shape = shape;
  found.rate = rate;
  for (const PatternRounds& pattern : patterns) found.loads.push_back(pattern.load);
  for (const std::string& arm : {proof.design.base.name, candidate}) {
    if (const auto fit = arm_fit(patterns, arm)) found.arms.push_back(*fit);
  }
  if (found.arms.size() != 2) return std::nullopt;
  found.same_saving_p = same_saving_p(patterns, candidate);
  return found;
}

}  // namespace

std::vector<WorkAndWakes> draw_work_and_wakes(const Proof& proof) {
  std::vector<WorkAndWakes> all;
  for (const subject::Shape& shape : proof.design.shapes) {
    std::set<double> rates;
    for (const ResolvedLoad& load : proof.loads) {
      if (load.shape == shape.name) rates.insert(load.rate);
    }
    for (const double rate : rates) {
      for (const Arm& candidate : proof.design.candidates) {
        if (const auto found = draw_one(proof, candidate.name, shape.name, rate))
          all.push_back(*found);
      }
    }
  }
  return all;
}

}  // namespace hone::pipeline
