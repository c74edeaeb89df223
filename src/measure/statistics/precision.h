// How many rounds an interval of a wanted width takes: Stein's two-stage procedure (C. Stein, A
// two-sample test for a linear hypothesis whose power is independent of the variance, Annals of
// Mathematical Statistics 16, 1945). The number is fixed once, from the deviation of the first
// stage alone, so nothing is ever measured "until significant"; the interval keeps that deviation
// and its degrees of freedom (JudgeSettings::first_stage), which is what makes it exact.
#pragma once

#include <vector>

#include "measure/statistics/comparison.h"

namespace hone::measure {

// The rounds in all, the first stage among them, at which the 95 % interval reaches `precision` to
// either side of the effect, relative, above 0. Never fewer than the first stage, which is 2 rounds
// at least, each of positive costs; fewer, or none such, give their own number.
int rounds_for_precision(const std::vector<RoundCost>& first_stage, double precision);

}  // namespace hone::measure
