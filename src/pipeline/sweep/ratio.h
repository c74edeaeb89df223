// How much more one arm carries than another at equal utilisation of the server's CPUs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "pipeline/sweep/results.h"

namespace hone::pipeline {

// The rate at which an arm used `busy` of its CPUs in one pass: linear between the two neighbouring
// rates on either side of it. `points`: of one arm and one pass. Nothing where no two points that
// were carried enclose it: nothing is extrapolated.
std::optional<double> rate_at(const std::vector<const SweepPoint*>& points, double busy);

// Of arm `b` to arm `a` at 10, 20 ... 90 % busy, where at least one pass has both. The interval is
// a t interval of the log ratio over passes: a pass is one process lifetime of both arms.
std::vector<RateRatio> rate_ratios(const std::vector<SweepPoint>& points, const std::string& a,
                                   const std::string& b);

}  // namespace hone::pipeline
