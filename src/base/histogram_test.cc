#include "base/histogram.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/random.h"

namespace hone {
namespace {

TEST(HistogramTest, EmptyIsAllZero) {
  const Histogram histogram;
  EXPECT_EQ(0U, histogram.count());
  EXPECT_EQ(0, histogram.quantile_ns(0.99));
  EXPECT_EQ(0, histogram.mean_ns());
  EXPECT_EQ(0, summarise(histogram).max);
}

TEST(HistogramTest, QuantilesAgreeWithSortedDataToHalfABucket) {
  Random random(5);
  Histogram histogram;
  std::vector<std::int64_t> values;
  double sum = 0;
  for (int i = 0; i < 20'000; ++i) {
    // Ten powers of ten, as latencies have when something goes wrong.
    const auto value = static_cast<std::int64_t>(std::pow(10, random.uniform() * 10));
    values.push_back(value);
    histogram.record(value);
    sum += static_cast<double>(value);
  }
  std::sort(values.begin(), values.end());
  for (const double q : {0.0, 0.001, 0.1, 0.5, 0.9, 0.99, 0.999, 0.9999, 1.0}) {
    const auto rank = static_cast<std::size_t>(std::max(1.0, std::ceil(q * 20'000)));
    const double exact = static_cast<double>(values[rank - 1]);
    EXPECT_NEAR(static_cast<double>(histogram.quantile_ns(q)), exact, exact / 255 + 0.5) << q;
  }
  EXPECT_EQ(values.back(), histogram.max_ns());
  EXPECT_DOUBLE_EQ(sum / 20'000, histogram.mean_ns());
}

TEST(HistogramTest, SmallValuesAreExact) {
  for (std::int64_t value = 0; value < 256; ++value) {
    Histogram histogram;
    histogram.record(value);
    histogram.record(1'000'000);
    EXPECT_EQ(value, histogram.quantile_ns(0.5));
  }
}

TEST(HistogramTest, EveryPowerOfTwoAndItsNeighboursStayInOrder) {
  std::int64_t before = -1;
  for (int bit = 6; bit < 42; ++bit) {
    for (const std::int64_t off : {-1, 0, 1}) {
      Histogram histogram;
      histogram.record((std::int64_t{1} << bit) + off);
      histogram.record(std::int64_t{1} << 45);  // so that the maximum does not stand in
      const std::int64_t value = histogram.quantile_ns(0.5);
      EXPECT_GE(value, before);
      EXPECT_NEAR(static_cast<double>(value), std::ldexp(1, bit), std::ldexp(1, bit) / 127 + 1);
      before = value;
    }
  }
}

TEST(HistogramTest, BeyondTheRangeKeepsTheExactMaximumAndBelowZeroIsZero) {
  Histogram histogram;
  const std::int64_t huge = std::int64_t{1} << 60;
  histogram.record(huge);
  histogram.record(-5);
  EXPECT_EQ(huge, histogram.max_ns());
  EXPECT_EQ(huge, histogram.quantile_ns(1));
  EXPECT_EQ(0, histogram.quantile_ns(0.5));
}

TEST(HistogramTest, MergingIsRecordingAllInOne) {
  Random random(9);
  Histogram whole, left, right;
  for (int i = 0; i < 5000; ++i) {
    const auto value = static_cast<std::int64_t>(random.below(i % 2 == 0 ? 1000 : 1'000'000'000));
    whole.record(value);
    (i % 2 == 0 ? left : right).record(value);
  }
  left.merge(right);
  EXPECT_EQ(whole.count(), left.count());
  EXPECT_EQ(whole.max_ns(), left.max_ns());
  EXPECT_DOUBLE_EQ(whole.mean_ns(), left.mean_ns());
  for (const double q : {0.1, 0.5, 0.9, 0.99}) {
    EXPECT_EQ(whole.quantile_ns(q), left.quantile_ns(q));
  }
}

TEST(HistogramTest, TheSummaryIsInMicroseconds) {
  Histogram histogram;
  for (int i = 0; i < 100; ++i) histogram.record(2'000'000);
  const LatencySummary summary = summarise(histogram);
  EXPECT_NEAR(summary.p50, 2000, 2000.0 / 255);
  EXPECT_EQ(summary.max, 2000);
  EXPECT_EQ(summary.mean, 2000);
}

}  // namespace
}  // namespace hone
