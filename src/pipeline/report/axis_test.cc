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

TEST(Axis, PlainTicksBeginAtZeroAndHoldTheirRange) {
  for (const double high : {0.3, 1.0, 7.0, 61.2, 999.0, 20'000.0, 1e7}) {
    const std::vector<Forest::Tick> ticks = plain_ticks(high);
    EXPECT_EQ(ticks.front().at, 0);
    EXPECT_GE(ticks.back().at, high * (1 - 1e-9)) << high;
    EXPECT_LE(ticks.back().at, 1.34 * high) << high;
    EXPECT_LE(ticks.size(), 9u) << high;
  }
  EXPECT_EQ(plain_ticks(23'000).at(1).label, "5,000");
  EXPECT_EQ(plain_ticks(0.3).at(1).label, "0.05");
}

TEST(Axis, LogTicksHoldTheirRangeAndNoMore) {
  const std::vector<Forest::Tick> ticks = log_ticks(0.3, 40);
  std::vector<std::string> labels;
  for (const Forest::Tick& tick : ticks) labels.push_back(tick.label);
  EXPECT_THAT(labels, testing::ElementsAre("0.2", "0.5", "1", "2", "5", "10", "20", "50"));
  EXPECT_DOUBLE_EQ(ticks[2].at, 0);
  EXPECT_DOUBLE_EQ(ticks[5].at, 1);
  EXPECT_GE(log_ticks(1, 1.0001).size(), 2u);
}

}  // namespace
}  // namespace hone::pipeline::report
