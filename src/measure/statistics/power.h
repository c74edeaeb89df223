// How small an effect a proof of this size can find, and how long a proof an effect needs.
#pragma once

#include <optional>

namespace hone::measure {

// The power that "detectable" and "needed" stand for: the usual convention in planning experiments
// (Cohen, Statistical Power Analysis, 1988).
inline constexpr double kPower = 0.8;

// What a finished proof showed.
struct Spread {
  double sd = 0;             // of the per-round log effects
  double floor = 0;          // as in Judgement, relative
  double control_error = 0;  // standard error of the mean log control
  int rounds = 0;            // at least 2
};

// Relative; see Judgement::smallest_detectable.
double smallest_detectable(const Spread&, double alpha);

// See Judgement::rounds_needed. `log_effect`: the effect seen. `smallest_effect`: relative; 0
// leaves `same` out.
std::optional<int> rounds_needed(const Spread&, double log_effect, double smallest_effect,
                                 double alpha);

// The rounds, at least kLeastRounds, at which a two-sided 5 % t test alone finds an effect of
// `effect` (relative, above 0) with kPower, where rounds scatter with the log deviation `sd`;
// nothing where 1,000 would not do. What two ways to measure are compared by: a floor would be
// counted against the noisier one twice.
std::optional<int> rounds_to_find(double effect, double sd);

}  // namespace hone::measure
