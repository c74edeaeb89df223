#include "pipeline/sweep/knee.h"

#include <gtest/gtest.h>

namespace hone::pipeline {
namespace {

TEST(FindKnee, IsWhereP99LeavesItsFloor) {
  const auto knee = find_knee(
      {{1, 500}, {2, 510}, {3, 530}, {4, 560}, {5, 700}, {6, 2000}, {7, 9000}, {8, 80'000}});
  ASSERT_TRUE(knee);
  EXPECT_EQ(knee->rate, 5);
  EXPECT_EQ(knee->p99_us, 700);
}

// A slice twice as long doubles what a saturated point shows, and must not move the knee.
TEST(FindKnee, DoesNotHangOnHowFarPastSaturationTheSweepWent) {
  for (const double saturated : {40'000.0, 80'000.0, 400'000.0}) {
    const auto knee =
        find_knee({{1, 500}, {2, 510}, {3, 530}, {4, 700}, {5, 5000}, {6, saturated}});
    ASSERT_TRUE(knee);
    EXPECT_EQ(knee->rate, 4) << saturated;
  }
}

TEST(FindKnee, FindsNoneInAStraightOrFallingOrArchedCurve) {
  EXPECT_FALSE(find_knee({{1, 100}, {2, 200}, {3, 400}, {4, 800}, {5, 1600}}));  // straight in log
  EXPECT_FALSE(find_knee({{1, 900}, {2, 500}, {3, 400}, {4, 300}}));
  EXPECT_FALSE(find_knee({{1, 100}, {2, 800}, {3, 900}, {4, 950}}));
  EXPECT_FALSE(find_knee({{1, 500}, {2, 500}, {3, 500}, {4, 500}}));
}

TEST(FindKnee, NeedsFourPointsWithALatency) {
  EXPECT_FALSE(find_knee({}));
  EXPECT_FALSE(find_knee({{1, 500}, {2, 510}, {3, 9000}}));
  EXPECT_FALSE(find_knee({{1, 0}, {2, 510}, {3, 520}, {4, 9000}}));
}

}  // namespace
}  // namespace hone::pipeline
