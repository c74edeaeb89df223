#include "pipeline/sweep/sweep_design.h"

#include <gmock/gmock.h>

namespace hone::pipeline {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(ParseRates, TakesAListInAnyOrder) {
  EXPECT_THAT(*parse_rates("1000, 500,2000,500"), ElementsAre(500, 1000, 2000));
  EXPECT_THAT(*parse_rates("0.5"), ElementsAre(0.5));
}

TEST(ParseRates, SpreadsARangeWithEqualRatios) {
  EXPECT_THAT(*parse_rates("1000:8000:4"), ElementsAre(1000, 2000, 4000, 8000));
  EXPECT_THAT(*parse_rates("1000:20000:8"),
              ElementsAre(1000, 1530, 2350, 3610, 5540, 8500, 13000, 20000));
}

TEST(ParseRates, RefusesTheRest) {
  for (const char* text : {"", "a", "1000,", "0", "-5", "nan", "inf", "1:2", "2:1:3", "1:2:1",
                           "1:inf:3", "0:5:3", "1:2:3:4", "1:2:1001", "1:2:2.5"}) {
    const auto rates = parse_rates(text);
    ASSERT_FALSE(rates) << text;
    EXPECT_EQ(rates.error().kind, ErrorKind::kUsage) << text;
    EXPECT_THAT(rates.error().what, HasSubstr("--rates")) << text;
  }
}

TEST(TypedRate, HasThreeDigits) {
  EXPECT_EQ(typed_rate(12345), 12300);
  EXPECT_EQ(typed_rate(999.9), 1000);
  EXPECT_EQ(typed_rate(7.3456), 7.35);
  EXPECT_EQ(typed_rate(0.12345), 0.123);
  EXPECT_EQ(typed_rate(100000), 100000);
}

TEST(DescribeSweep, SaysHowMuchIsDoneAndHowLongItTakes) {
  SweepSettings settings;
  settings.rates = {1000, 2000};
  // 3 repeats of 2 arms: 2 s to start, 2 rates of 0.2 + 2 + 0.1 s.
  EXPECT_DOUBLE_EQ(expected_s(settings, 2), 3 * 2 * (2 + 2 * 2.3));
  EXPECT_THAT(describe(settings, 2, {"h1"}), HasSubstr("2 rates on 2 arms, 3 times"));
  settings.rates.clear();
  EXPECT_THAT(describe(settings, 1, {"h1"}), HasSubstr("found by doubling"));
}

}  // namespace
}  // namespace hone::pipeline
