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

}  // namespace hone::measure
