// From points to curves and ceilings. Pure: the same points give the same report.
#pragma once

#include "pipeline/sweep/results.h"

namespace hone::pipeline {

// Fills `curves` and `ratios` of a shape from its points.
void draw_results(const SweepDesign&, ShapeSweep* sweep);

// Of one arm: every rate it was asked for, its repeats summed up.
std::vector<CurvePoint> draw_curve(const std::vector<SweepPoint>& points, const std::string& arm,
                                   const std::vector<double>& rates);

// Up to the first rate, from the lowest, of which not all `repeats` repeats held. A rate that was
// generator-limited, or whose repeats are spoiled or missing, ends it too: the ceiling is then a
// lower bound.
Ceiling find_ceiling(const std::vector<CurvePoint>& curve, int repeats);

}  // namespace hone::pipeline
