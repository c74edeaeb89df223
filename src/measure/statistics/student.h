// Student's t distribution, central and noncentral. The only place that knows Boost.Math; nothing
// here throws.
#pragma once

namespace hone::measure {

// `degrees` is at least 1 and 0 < p < 1 (preconditions).
double t_quantile(double p, int degrees);
double t_two_sided_p(double t, int degrees);  // t may be infinite

// How likely a two-sided t test at level `alpha` comes out significant on the side of a true effect
// that lies `noncentrality` standard errors from 0.
double t_power(double noncentrality, int degrees, double alpha);

// The noncentrality at which t_power() reaches `power`.
double noncentrality_for(double power, int degrees, double alpha);

}  // namespace hone::measure
