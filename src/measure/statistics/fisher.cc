#include "measure/statistics/fisher.h"

#include <boost/math/distributions/fisher_f.hpp>
#include <cmath>

namespace hone::measure {

double f_upper_p(double f, int degrees_above, int degrees_below) {
  if (std::isnan(f) || f <= 0) return 1;
  if (std::isinf(f)) return 0;
  return cdf(complement(boost::math::fisher_f(degrees_above, degrees_below), f));
}

}  // namespace hone::measure
