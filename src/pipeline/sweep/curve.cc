#include "pipeline/sweep/curve.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "measure/statistics/median.h"
#include "pipeline/sweep/knee.h"
#include "pipeline/sweep/ratio.h"

namespace hone::pipeline {
namespace {

using Points = std::vector<const SweepPoint*>;
using Figure = std::function<double(const SweepPoint&)>;

std::vector<double> values_of(const Points& points, const Figure& figure) {
  std::vector<double> values;
  for (const SweepPoint* point : points) values.push_back(figure(*point));
  return values;
}

double median_of(const Points& points, const Figure& figure) {
  return measure::median(values_of(points, figure));
}

double least_of(const Points& points, const Figure& figure) {
  const std::vector<double> values = values_of(points, figure);
  return values.empty() ? 0 : *std::min_element(values.begin(), values.end());
}

Spread spread_of(const Points& points, const Figure& figure) {
  const std::vector<double> values = values_of(points, figure);
  if (values.empty()) return {};
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  return {measure::median(values), *low, *high};
}

double wakes_of(const SweepPoint& point) {
  return point.ok > 0 ? static_cast<double>(point.wakes) / static_cast<double>(point.ok) : 0;
}

CurvePoint sum_up(double rate, const Points& counted, int spoiled) {
  CurvePoint sum;
  sum.rate = rate;
  sum.repeats = static_cast<int>(counted.size());
  sum.spoiled = spoiled;
  if (counted.empty()) return sum;
  sum.standing = Standing::kHeld;
  for (const SweepPoint* point : counted) {
    sum.held += point->standing == Standing::kHeld ? 1 : 0;
    if (point->standing <= sum.standing) continue;
    sum.standing = point->standing;
    sum.why = point->why;
  }
  sum.cpu_us = spread_of(counted, cpu_us);
  sum.p50_us = spread_of(counted, [](const SweepPoint& p) { return p.latency_us.p50; });
  sum.p99_us = spread_of(counted, [](const SweepPoint& p) { return p.latency_us.p99; });
  sum.p999_us = spread_of(counted, [](const SweepPoint& p) { return p.latency_us.p999; });
  sum.ok_share = least_of(counted, [](const SweepPoint& p) { return p.ok_share; });
  sum.in_time = least_of(counted, [](const SweepPoint& p) { return p.in_time; });
  sum.server_busy = median_of(counted, [](const SweepPoint& p) { return p.server_busy; });
  sum.load_busy = median_of(counted, [](const SweepPoint& p) { return p.load_busy; });
  sum.wakes_per_request = median_of(counted, wakes_of);
  return sum;
}

// Of a pass, or of the medians: what a knee may be looked for in.
bool shows_latency(Standing standing) {
  return standing == Standing::kHeld || standing == Standing::kSaturated;
}

std::optional<KneePoint> knee_of_pass(const std::vector<SweepPoint>& points, const std::string& arm,
                                      int repeat) {
  Points pass;
  for (const SweepPoint& point : points) {
    if (point.arm == arm && point.repeat == repeat && shows_latency(point.standing))
      pass.push_back(&point);
  }
  std::sort(pass.begin(), pass.end(),
            [](const auto* left, const auto* right) { return left->rate < right->rate; });
  std::vector<KneePoint> curve;
  for (const SweepPoint* point : pass) {
    curve.push_back({point->rate, point->latency_us.p99});
    if (point->standing == Standing::kSaturated) break;
  }
  return find_knee(curve);
}

Knee draw_knee(const std::vector<SweepPoint>& points, const std::string& arm,
               const std::vector<CurvePoint>& curve, int repeats) {
  std::vector<KneePoint> medians;
  for (const CurvePoint& point : curve) {
    if (point.repeats == 0 || !shows_latency(point.standing)) continue;
    medians.push_back({point.rate, point.p99_us.median});
    if (point.standing == Standing::kSaturated) break;
  }
  const auto found = find_knee(medians);
  if (!found) return {};
  Knee knee{found->rate, found->rate, found->rate, found->p99_us};
  for (int repeat = 1; repeat <= repeats; ++repeat) {
    const auto of_pass = knee_of_pass(points, arm, repeat);
    if (!of_pass) continue;
    knee.low = std::min(knee.low, of_pass->rate);
    knee.high = std::max(knee.high, of_pass->rate);
  }
  return knee;
}

}  // namespace

std::vector<CurvePoint> draw_curve(const std::vector<SweepPoint>& points, const std::string& arm,
                                   const std::vector<double>& rates) {
  std::vector<CurvePoint> curve;
  for (const double rate : rates) {
    Points counted;
    int spoiled = 0;
    for (const SweepPoint& point : points) {
      if (point.arm != arm || point.rate != rate) continue;
      if (point.standing == Standing::kSpoiled) {
        ++spoiled;
      } else {
        counted.push_back(&point);
      }
    }
    curve.push_back(sum_up(rate, counted, spoiled));
  }
  return curve;
}

Ceiling find_ceiling(const std::vector<CurvePoint>& curve, int repeats) {
  Ceiling ceiling;
  for (const CurvePoint& point : curve) {
    if (point.held >= repeats) {
      ceiling.rate = point.rate;
      continue;
    }
    ceiling.next_rate = point.rate;
    ceiling.why = fmt::format("held in {} of {} repeats", point.held, repeats);
    ceiling.ended_by = point.standing;
    if (point.held == point.repeats) ceiling.ended_by = Standing::kSpoiled;  // too few counted
    if (!point.why.empty()) ceiling.why += ": " + point.why;
    break;
  }
  return ceiling;
}

void draw_results(const SweepDesign& design, ShapeSweep* sweep) {
  sweep->curves.clear();
  sweep->ratios.clear();
  const int repeats = design.settings.repeats;
  for (const Arm& arm : arms_of(design.design)) {
    ArmCurve curve;
    curve.arm = arm.name;
    curve.points = draw_curve(sweep->points, arm.name, sweep->rates);
    curve.ceiling = find_ceiling(curve.points, repeats);
    curve.knee = draw_knee(sweep->points, arm.name, curve.points, repeats);
    sweep->curves.push_back(std::move(curve));
  }
  if (design.design.candidates.size() == 1) {
    sweep->ratios =
        rate_ratios(sweep->points, design.design.base.name, design.design.candidates.front().name);
  }
}

}  // namespace hone::pipeline
