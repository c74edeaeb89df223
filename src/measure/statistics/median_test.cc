#include "measure/statistics/median.h"

#include <gtest/gtest.h>

namespace hone::measure {
namespace {

TEST(Median, is_the_middle) {
  EXPECT_EQ(median({}), 0);
  EXPECT_EQ(median({7}), 7);
  EXPECT_EQ(median({3, 1}), 2);
  EXPECT_EQ(median({9, 1, 2}), 2);
  EXPECT_EQ(median({4, 1, 3, 100}), 3.5);
}

}  // namespace
}  // namespace hone::measure
