// Fisher's F distribution, by Boost.Math; nothing here throws.
#pragma once

namespace hone::measure {

// The probability of a ratio of two variances above `f`; both degrees at least 1 (preconditions).
// f may be infinite; not a number gives 1.
double f_upper_p(double f, int degrees_above, int degrees_below);

}  // namespace hone::measure
