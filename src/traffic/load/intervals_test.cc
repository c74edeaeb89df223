#include "traffic/load/intervals.h"

#include <gtest/gtest.h>

#include <cmath>

#include "traffic/load/dispatcher_fixture.h"

namespace hone::traffic::load {
namespace {

TEST(CoarseHistogramTest, QuantilesAreKnownToThreePercentAndTheMaximumExactly) {
  for (const std::int64_t value :
       std::vector<std::int64_t>{500, 3'000, 70'000, 1'234'567, 98'765'432, 5'000'000'000}) {
    CoarseHistogram histogram;
    for (int i = 0; i < 9; ++i) histogram.record(value);
    histogram.record(2 * value);
    // A microsecond is what it tells apart at the low end.
    EXPECT_NEAR(static_cast<double>(value), static_cast<double>(histogram.quantile_ns(0.5)),
                0.032 * static_cast<double>(value) + 1024);
    EXPECT_EQ(2 * value, histogram.quantile_ns(1));
    EXPECT_EQ(2 * value, histogram.max_ns());
  }
  CoarseHistogram edge;
  edge.record(-5);
  edge.record(std::int64_t{1} << 60);
  EXPECT_EQ(std::int64_t{1} << 60, edge.max_ns());
  EXPECT_EQ(0, CoarseHistogram().quantile_ns(0.5));
}

TEST(CoarseHistogramTest, MergedAndThroughJsonItIsTheSame) {
  CoarseHistogram a, b, both;
  for (std::int64_t i = 1; i < 10'000; ++i) {
    (i % 3 == 0 ? a : b).record(i * i);
    both.record(i * i);
  }
  a.merge(b);
  CoarseHistogram read;
  read.read_buckets(a.buckets_json());
  for (const double q : {0.0, 0.1, 0.5, 0.9, 0.999, 1.0}) {
    EXPECT_EQ(both.quantile_ns(q), a.quantile_ns(q));
    EXPECT_EQ(both.quantile_ns(q), read.quantile_ns(q));
  }
}

TEST(BoundariesTest, EveryTimeHasItsInterval) {
  Boundaries boundaries;
  boundaries.set({10, 30, 31});
  for (const auto& [offset, index] : std::vector<std::pair<std::int64_t, std::size_t>>{
           {0, 0}, {9, 0}, {10, 1}, {29, 1}, {0, 0}, {30, 2}, {31, 2}, {1000, 2}, {15, 1}}) {
    EXPECT_EQ(index, boundaries.find(offset)) << offset;
  }
}

TEST(SeriesTest, AnHourHasSecondsAndMoreHasAsManyLongerOnes) {
  EXPECT_DOUBLE_EQ(1, series_interval_s(0.5));
  EXPECT_DOUBLE_EQ(1, series_interval_s(3600));
  EXPECT_DOUBLE_EQ(2, series_interval_s(3601));
  EXPECT_DOUBLE_EQ(24, series_interval_s(86'400));
}

using IntervalsTest = DispatcherTest;

TEST_F(IntervalsTest, EachSecondAndStepHasWhatWasDueInItHoweverLateItEnds) {
  make(1, 1000, std::chrono::seconds(5));
  SliceSpec spec;
  set_phases(&spec, *parse_steps("10,20", 1.5));
  spec.arrivals = {Arrivals::Kind::kEvenStrict, 1};
  dispatcher_->prepare(spec);
  dispatcher_->begin(kStart);
  for (int ms = 0; ms < 3000; ms += 50) advance_to(std::chrono::milliseconds(ms));
  EXPECT_EQ(45U, lines_->at(0).open.size());
  // All are answered after the end: 15 of the first step, the first of them badly.
  advance_to(std::chrono::milliseconds(3500));
  answer(0, 500);
  while (!lines_->at(0).open.empty()) answer(0);
  const SliceResult result = finish();
  ASSERT_EQ(3U, result.series.size());
  EXPECT_EQ(10U, result.series[0].counts.scheduled);
  EXPECT_EQ(15U, result.series[1].counts.scheduled);
  EXPECT_EQ(20U, result.series[2].counts.scheduled);
  EXPECT_EQ(9U, result.series[0].counts.ok);
  EXPECT_EQ(1U, result.series[0].counts.errors);
  EXPECT_EQ(3'500'000'000, result.series[0].latency.max_ns());
  EXPECT_EQ(1'500'000'000, result.series[2].latency.max_ns());
  ASSERT_EQ(2U, result.steps.size());
  EXPECT_EQ(15U, result.steps[0].counts.sent);
  EXPECT_EQ(30U, result.steps[1].counts.ok);
  EXPECT_DOUBLE_EQ(10, result.steps[0].achieved_rate());
  EXPECT_DOUBLE_EQ(20, result.steps[1].achieved_rate());
  EXPECT_EQ(2'000'000'000, result.steps[1].latency.max_ns());
  EXPECT_DOUBLE_EQ(15, result.target_rate);
}

TEST_F(IntervalsTest, WhatIsMissedOrExpiresIsInItsInterval) {
  make(1, 1, std::chrono::seconds(1));
  SliceSpec spec;
  set_phases(&spec, *parse_steps("10,10", 1));
  spec.arrivals = {Arrivals::Kind::kEvenStrict, 1};
  dispatcher_->prepare(spec);
  dispatcher_->begin(kStart);
  advance_to({});                              // the first is sent and never answered
  advance_to(std::chrono::milliseconds(950));  // the generator slept: eight are late
  for (int ms = 1000; ms < 2000; ms += 100) advance_to(std::chrono::milliseconds(ms));
  advance_to(std::chrono::milliseconds(4000));
  const SliceResult result = finish();
  EXPECT_EQ(9U, result.steps[0].counts.missed);
  EXPECT_EQ(1U, result.steps[0].counts.errors);
  EXPECT_EQ(0U, result.steps[1].counts.missed);
  for (const StepResult& step : result.steps) {
    const IntervalCounts& counts = step.counts;
    EXPECT_EQ(10U, counts.scheduled);
    EXPECT_EQ(counts.scheduled, counts.sent + counts.missed + counts.expired);
    EXPECT_EQ(counts.sent, counts.ok + counts.errors);
  }
}

TEST_F(IntervalsTest, ACutEndsSeriesAndStepsWhereItFalls) {
  make(1, 1000);
  SliceSpec spec;
  set_phases(&spec, *parse_steps("10,20,30", 1));
  dispatcher_->prepare(spec);
  dispatcher_->begin(kStart);
  for (int ms = 0; ms <= 1500; ms += 5) {
    advance_to(std::chrono::milliseconds(ms));
    while (!lines_->at(0).open.empty()) answer(0);
  }
  dispatcher_->cut(lines_->time);
  const SliceResult result = finish();
  EXPECT_EQ(2U, result.series.size());
  ASSERT_EQ(2U, result.steps.size());
  EXPECT_DOUBLE_EQ(0.5, result.steps[1].phase.duration_s);
  EXPECT_EQ(result.scheduled, result.steps[0].counts.ok + result.steps[1].counts.ok);
}

TEST_F(IntervalsTest, PartsOfTwoThreadsAddUp) {
  SliceSpec spec;
  set_phases(&spec, *parse_ramp("10:50", 2, 2));
  spec.arrivals = {Arrivals::Kind::kEvenStrict, 1};
  SliceResult parts[2];
  for (int worker = 0; worker < 2; ++worker) {
    lines_ = std::make_unique<FakeLines>(1, 1000);
    dispatcher_ =
        std::make_unique<Dispatcher>(Share{2, worker, 2}, lines_.get(), std::chrono::seconds(1));
    dispatcher_->prepare(spec);
    dispatcher_->begin(kStart);
    for (int ms = 0; ms < 2000; ms += 5) {
      advance_to(std::chrono::milliseconds(ms));
      while (!lines_->at(0).open.empty()) answer(0);
    }
    parts[worker] = finish();
  }
  merge_workers(&parts[0], parts[1]);
  ASSERT_EQ(2U, parts[0].steps.size());
  EXPECT_EQ(20U, parts[0].steps[0].counts.ok);
  EXPECT_EQ(40U, parts[0].steps[1].counts.ok);
  EXPECT_DOUBLE_EQ(20, parts[0].steps[0].achieved_rate());
  EXPECT_EQ(20U, parts[0].series[0].counts.ok);
  EXPECT_EQ(20U, parts[0].steps[0].latency.count());
  // Slices in a row have no common series.
  merge(&parts[0], parts[1]);
  EXPECT_TRUE(parts[0].series.empty());
  EXPECT_TRUE(parts[0].steps.empty());
}

}  // namespace
}  // namespace hone::traffic::load
