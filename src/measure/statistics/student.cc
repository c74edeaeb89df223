#include "measure/statistics/student.h"

#include <boost/math/distributions/non_central_t.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>

namespace hone::measure {
namespace {

using boost::math::policies::ignore_error;
// Errors come back as NaN or infinity instead of exceptions; double precision is plenty for
// probabilities that are read to three digits.
using Quiet =
    boost::math::policies::policy<boost::math::policies::domain_error<ignore_error>,
                                  boost::math::policies::pole_error<ignore_error>,
                                  boost::math::policies::overflow_error<ignore_error>,
                                  boost::math::policies::evaluation_error<ignore_error>,
                                  boost::math::policies::rounding_error<ignore_error>,
                                  boost::math::policies::indeterminate_result_error<ignore_error>,
                                  boost::math::policies::promote_double<false>>;
using StudentsT = boost::math::students_t_distribution<double, Quiet>;
using NoncentralT = boost::math::non_central_t_distribution<double, Quiet>;

// Even with one degree of freedom, whose critical value is 12.7 at 5 %, the power at 40 standard
// errors is P(|Z| < 40/12.7) = 0.998; with more it is 1 to all digits. Boost's series slows down
// far beyond, so nothing asks it there.
constexpr double kCertain = 40;

}  // namespace

double t_quantile(double p, int degrees) { return quantile(StudentsT(degrees), p); }

double t_two_sided_p(double t, int degrees) {
  if (std::isinf(t)) return 0;
  return 2 * cdf(complement(StudentsT(degrees), std::fabs(t)));
}

double t_power(double noncentrality, int degrees, double alpha) {
  if (noncentrality >= kCertain) return 1;
  const double critical = t_quantile(1 - alpha / 2, degrees);
  return cdf(complement(NoncentralT(degrees, noncentrality), critical));
}

double noncentrality_for(double power, int degrees, double alpha) {
  double low = 0, high = kCertain;
  // 40 / 2^30 is below 1e-7 standard errors.
  for (int step = 0; step < 30; ++step) {
    const double middle = (low + high) / 2;
    (t_power(middle, degrees, alpha) < power ? low : high) = middle;
  }
  return high;
}

}  // namespace hone::measure
