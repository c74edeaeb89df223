#include "traffic/load/percentiles.h"

#include <gtest/gtest.h>

#include <sstream>

#include "base/random.h"
#include "base/text.h"

namespace hone::traffic::load {
namespace {

TEST(PercentilesTest, TheFormIsHdrHistograms) {
  Histogram histogram;
  for (int i = 1; i <= 4; ++i) histogram.record(i * 1'000'000);
  const std::vector<std::string> lines = split(percentile_text(histogram), '\n');
  ASSERT_GT(lines.size(), 8U);
  EXPECT_EQ("       Value     Percentile TotalCount 1/(1-Percentile)", lines[0]);
  EXPECT_EQ("", lines[1]);
  EXPECT_EQ("       1.001 0.000000000000          1           1.00", lines[2]);
  const std::size_t end = lines.size() - 1;  // after the last line's end
  EXPECT_EQ("       4.000 1.000000000000          4", lines[end - 4]);
  EXPECT_EQ("#[Mean    =        2.500, StdDeviation   =        1.118]", lines[end - 3]);
  EXPECT_EQ("#[Max     =        4.000, Total count    =            4]", lines[end - 2]);
  EXPECT_TRUE(lines[end - 1].starts_with("#[Buckets = ")) << lines[end - 1];
}

TEST(PercentilesTest, EveryLineIsWhatTheHistogramSays) {
  Histogram histogram;
  Random random(5);
  for (int i = 0; i < 100'000; ++i) {
    histogram.record(static_cast<std::int64_t>(random.exponential(2e6)));
  }
  std::istringstream text(percentile_text(histogram));
  std::string line;
  std::getline(text, line);
  std::getline(text, line);
  double last_value = -1, last_level = -1;
  std::uint64_t last_count = 0;
  int lines = 0;
  while (std::getline(text, line) && line[0] != '#') {
    double value = 0, level = 0;
    std::uint64_t count = 0;
    ASSERT_TRUE(std::istringstream(line) >> value >> level >> count) << line;
    EXPECT_GE(value, last_value);
    EXPECT_GT(level, last_level);
    EXPECT_GE(count, last_count);
    EXPECT_GE(static_cast<double>(count) + 1e-6, level * 100'000);
    // Half a unit of the text's last digit; the level itself is rounded to twelve.
    const double low = static_cast<double>(histogram.quantile_ns(level - 1e-12)) / 1e6;
    const double high = static_cast<double>(histogram.quantile_ns(level + 1e-12)) / 1e6;
    EXPECT_GE(value, low - 0.00051) << line;
    EXPECT_LE(value, high + 0.00051) << line;
    last_value = value, last_level = level, last_count = count;
    ++lines;
  }
  EXPECT_DOUBLE_EQ(1, last_level);
  EXPECT_EQ(100'000U, last_count);
  // Five for each halving, and 100,000 is about 2^17.
  EXPECT_NEAR(17 * 5, lines, 8);
}

TEST(PercentilesTest, NothingRecordedIsATableWithoutLines) {
  const std::string text = percentile_text({});
  EXPECT_NE(std::string::npos, text.find("Total count    =            0"));
  EXPECT_EQ(std::string::npos, text.find("nan"));
}

}  // namespace
}  // namespace hone::traffic::load
