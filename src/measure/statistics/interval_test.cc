#include "measure/statistics/interval.h"

#include <gtest/gtest.h>

namespace hone::measure {
namespace {

// scipy.stats.t.interval(0.95, 3, loc=2.5, scale=scipy.stats.sem([1, 2, 3, 4]))
// -> (0.4457397432391206, 4.554260256760879)
TEST(MeanInterval, AgreesWithReference) {
  const Estimate e = mean_interval({1, 2, 3, 4});
  EXPECT_DOUBLE_EQ(e.effect, 2.5);
  EXPECT_NEAR(e.low, 0.4457397432391206, 1e-9);
  EXPECT_NEAR(e.high, 4.554260256760879, 1e-9);
}

TEST(MeanInterval, OneValueIsItself) {
  const Estimate e = mean_interval({-3});
  EXPECT_EQ(e.low, -3);
  EXPECT_EQ(e.high, -3);
  EXPECT_EQ(mean_interval({}).effect, 0);
}

}  // namespace
}  // namespace hone::measure
