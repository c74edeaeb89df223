#include "cli/commands/load_report.h"

#include <gtest/gtest.h>

namespace hone::cli {
namespace {

TEST(HistogramTextTest, RowsGoFromTheFirstValueToTheLastWithoutAGap) {
  traffic::load::Histogram histogram;
  for (int i = 0; i < 90; ++i) histogram.record(120'000);
  for (int i = 0; i < 9; ++i) histogram.record(250'000);
  histogram.record(3'000'000);
  EXPECT_EQ(
      "         100 to 200                  90  90.0 % ##########\n"
      "         200 to 500                   9   9.0 % #\n"
      "         500 to 1000                  0   0.0 % \n"
      "        1000 to 2000                  0   0.0 % \n"
      "        2000 to 5000                  1   1.0 % #\n",
      histogram_text(histogram, 10));
}

TEST(HistogramTextTest, NothingAndLessThanAMicrosecond) {
  EXPECT_EQ("", histogram_text({}, 10));
  traffic::load::Histogram histogram;
  histogram.record(0);
  EXPECT_EQ("           0 to 1                     1 100.0 % ##########\n",
            histogram_text(histogram, 10));
}

TEST(LoadReportTest, StepsAndMixesHaveTheirTables) {
  LoadArguments arguments;
  arguments.url = "http://a.test/";
  arguments.rate = "10,20";
  traffic::load::SliceResult result;
  result.steps.resize(2);
  result.steps[0].phase = {10, 10, 1};
  result.steps[1].phase = {20, 20, 1};
  result.requests = {{"GET /a", 0.25, 10, 9}, {"GET /b", 0.75, 30, 30}};
  result.sent = 40;
  const std::string text = load_summary(arguments, result);
  EXPECT_NE(std::string::npos, text.find("10,20 requests/s poisson")) << text;
  EXPECT_NE(std::string::npos, text.find("GET /a")) << text;
  EXPECT_NE(std::string::npos, text.find("25.0 %")) << text;
  EXPECT_EQ(std::string::npos, text.find("nan")) << text;
}

}  // namespace
}  // namespace hone::cli
