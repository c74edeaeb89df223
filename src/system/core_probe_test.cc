#include "system/core_probe.h"

#include <gtest/gtest.h>

#include "system/cpus.h"

namespace hone::system {
namespace {

TEST(SpeedBeside, IsAShareOfTheSpeedAlone) {
  const std::vector<int> before = allowed_cpus();
  const auto ratio = speed_beside(before.front(), before.back(), std::chrono::milliseconds(24));
  ASSERT_TRUE(ratio) << describe(ratio.error());
  // Whatever this machine is: two threads of a core leave each other half, and nobody gains as
  // much.
  EXPECT_GT(*ratio, 0.2);
  EXPECT_LT(*ratio, 2);
  EXPECT_EQ(allowed_cpus(), before);  // the caller's thread keeps its CPUs
}

TEST(SpeedBeside, ACpuThatIsNotThereIsAnError) {
  EXPECT_FALSE(speed_beside(8191, allowed_cpus().front(), std::chrono::milliseconds(6)));
  EXPECT_FALSE(speed_beside(allowed_cpus().front(), 8191, std::chrono::milliseconds(6)));
}

TEST(SpeedsAlone, IsOneOfEachWindow) {
  const std::vector<int> before = allowed_cpus();
  const auto speeds = speeds_alone(before.front(), std::chrono::milliseconds(4), 3);
  ASSERT_TRUE(speeds) << describe(speeds.error());
  ASSERT_EQ(speeds->size(), 3u);
  for (const double speed : *speeds) EXPECT_GT(speed, 1000);  // a turn takes microseconds
  EXPECT_EQ(allowed_cpus(), before);
  EXPECT_FALSE(speeds_alone(8191, std::chrono::milliseconds(4), 1));
}

}  // namespace
}  // namespace hone::system
