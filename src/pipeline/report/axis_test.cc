#include "pipeline/report/axis.h"

#include <gmock/gmock.h>

namespace hone::pipeline::report {
namespace {

TEST(Axis, HoldsItsRangeAndZero) {
  for (const auto& [low, high] : std::vector<std::pair<double, double>>{
           {-0.213, 0.02}, {0.03, 0.05}, {-0.0004, 0.0003}, {0, 0}, {-0.9, 40}}) {
    const std::vector<Forest::Tick> ticks = percent_ticks(low, high);
    ASSERT_GE(ticks.size(), 2u);
    EXPECT_LE(ticks.size(), 15u);
    EXPECT_LE(ticks.front().at, low + 1e-12);
    EXPECT_GE(ticks.back().at, high - 1e-12);
    bool zero = false;
    for (const Forest::Tick& tick : ticks) zero = zero || (tick.at == 0 && tick.label == "0");
    EXPECT_TRUE(zero) << low << " " << high;
  }
}

TEST(Axis, ReadsInRoundFigures) {
  const std::vector<Forest::Tick> ticks = percent_ticks(-0.07, 0.011);
  EXPECT_EQ(ticks.front().label, "-7");
  EXPECT_EQ(ticks.back().label, "+2");
}

}  // namespace
}  // namespace hone::pipeline::report
