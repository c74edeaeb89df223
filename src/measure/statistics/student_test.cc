#include "measure/statistics/student.h"

#include <gtest/gtest.h>

#include <limits>

namespace hone::measure {
namespace {

// Reference values printed by scipy 1.17.1:
//   from scipy import stats
//   stats.t.ppf(0.975, 1), stats.t.ppf(0.975, 5), stats.t.ppf(0.975, 7), stats.t.ppf(0.95, 7),
//   stats.t.ppf(0.8, 7), stats.t.ppf(0.975, 19), stats.t.ppf(0.9, 3)
TEST(Student, quantiles_agree_with_scipy) {
  EXPECT_NEAR(t_quantile(0.975, 1), 12.7062047362, 1e-9);
  EXPECT_NEAR(t_quantile(0.975, 5), 2.57058183564, 1e-10);
  EXPECT_NEAR(t_quantile(0.975, 7), 2.36462425159, 1e-10);
  EXPECT_NEAR(t_quantile(0.95, 7), 1.89457860509, 1e-10);
  EXPECT_NEAR(t_quantile(0.8, 7), 0.896029644314, 1e-10);
  EXPECT_NEAR(t_quantile(0.975, 19), 2.09302405441, 1e-10);
  EXPECT_NEAR(t_quantile(0.9, 3), 1.6377443537, 1e-9);
}

// 2 * stats.t.sf(abs(t), df)
TEST(Student, p_values_agree_with_scipy) {
  EXPECT_NEAR(t_two_sided_p(2.5, 7), 0.0409922185858, 1e-12);
  EXPECT_NEAR(t_two_sided_p(-2.5, 7), 0.0409922185858, 1e-12);
  EXPECT_NEAR(t_two_sided_p(0.3, 5), 0.776249042263, 1e-11);
  EXPECT_NEAR(t_two_sided_p(12, 7), 6.35831037819e-06, 1e-16);
  EXPECT_EQ(t_two_sided_p(0, 7), 1);
  EXPECT_EQ(t_two_sided_p(std::numeric_limits<double>::infinity(), 7), 0);
  EXPECT_EQ(t_two_sided_p(-std::numeric_limits<double>::infinity(), 7), 0);
}

// stats.nct.sf(stats.t.ppf(0.975, df), df, nc)
TEST(Student, power_agrees_with_scipy) {
  EXPECT_NEAR(t_power(3.0, 7, 0.05), 0.730628289, 1e-7);
  EXPECT_NEAR(t_power(1.0, 5, 0.05), 0.127416018, 1e-7);
  EXPECT_NEAR(t_power(5.0, 19, 0.05), 0.997234702, 1e-7);
  EXPECT_NEAR(t_power(16.0, 1, 0.05), 0.790646647, 1e-7);
  EXPECT_NEAR(t_power(0.0, 7, 0.05), 0.025, 1e-9);  // one side of a two-sided 5 %
  EXPECT_EQ(t_power(1e6, 1, 0.05), 1);
}

// from scipy import optimize
// optimize.brentq(lambda d: stats.nct.sf(stats.t.ppf(0.975, df), df, d) - 0.8, 0.1, 40)
TEST(Student, noncentrality_agrees_with_scipy) {
  EXPECT_NEAR(noncentrality_for(0.8, 1, 0.05), 16.3340089, 1e-5);
  EXPECT_NEAR(noncentrality_for(0.8, 5, 0.05), 3.51390411, 1e-6);
  EXPECT_NEAR(noncentrality_for(0.8, 7, 0.05), 3.26976215, 1e-6);
  EXPECT_NEAR(noncentrality_for(0.8, 19, 0.05), 2.95358825, 1e-6);
  EXPECT_NEAR(noncentrality_for(0.8, 999, 0.05), 2.80428203, 1e-6);
}

}  // namespace
}  // namespace hone::measure
