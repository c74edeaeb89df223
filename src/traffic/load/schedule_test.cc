#include "traffic/load/schedule.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace hone::traffic::load {
namespace {

const system::Instant kScheduleStart{std::chrono::seconds(100)};

std::vector<Due> all(Schedule* schedule, const SliceSpec& spec) {
  schedule->prepare(spec);
  schedule->begin(kScheduleStart);
  std::vector<Due> result;
  for (; !schedule->empty(); schedule->pop()) result.push_back(schedule->next());
  return result;
}

SliceSpec spec_of(double rate, double duration_s, const char* arrivals = "poisson") {
  SliceSpec spec;
  spec.rate = rate;
  spec.duration_s = duration_s;
  spec.arrivals = *parse_arrivals(arrivals);
  return spec;
}

TEST(ScheduleTest, EverySliceHasItsExactCountAndLiesWithinItsTime) {
  for (const char* arrivals : {"even", "even:strict", "poisson", "burst:16"}) {
    Schedule schedule({16, 0, 1});
    const auto due = all(&schedule, spec_of(8000, 0.5, arrivals));
    EXPECT_EQ(4000U, due.size()) << arrivals;
    EXPECT_GE(due.front().at, kScheduleStart);
    EXPECT_LT(due.back().at, kScheduleStart + std::chrono::milliseconds(500)) << arrivals;
  }
  Schedule schedule({16, 0, 1});
  EXPECT_EQ(1U, all(&schedule, spec_of(0.1, 0.5)).size());
}

TEST(ScheduleTest, ConnectionsTakeTurnsAndCountOnOverSlices) {
  Schedule schedule({7, 0, 1});
  int expected = 0;
  for (int slice = 0; slice < 3; ++slice) {
    for (const Due& due : all(&schedule, spec_of(100, 0.5))) {
      EXPECT_EQ(expected, due.line);
      expected = (expected + 1) % 7;
    }
  }
}

TEST(ScheduleTest, TheSliceAfterACutOneBeginsWhereItWouldHave) {
  Schedule whole({7, 1, 2});
  Schedule cut({7, 1, 2});
  all(&whole, spec_of(100, 0.5));
  cut.prepare(spec_of(100, 0.5));
  cut.begin({});
  cut.pop();
  cut.cut();
  EXPECT_TRUE(cut.empty());
  const auto expected = all(&whole, spec_of(100, 0.5));
  const auto after = all(&cut, spec_of(100, 0.5));
  ASSERT_EQ(expected.size(), after.size());
  for (std::size_t i = 0; i < after.size(); ++i) EXPECT_EQ(expected[i].line, after[i].line);
}

TEST(ScheduleTest, WorkersTogetherSendWhatOneWouldWithinEachConnection) {
  for (const int connections : {16, 10}) {  // divisible by the number of workers, and not
    Schedule whole({connections, 0, 1});
    const auto reference = all(&whole, spec_of(8000, 0.25));
    constexpr int kWorkers = 3;
    std::vector<Due> together;
    int lines = 0;
    for (int worker = 0; worker < kWorkers; ++worker) {
      const Share share{connections, worker, kWorkers};
      lines += share.lines();
      Schedule part(share);
      for (const Due& due : all(&part, spec_of(8000, 0.25))) {
        EXPECT_LT(due.line, share.lines());
        together.push_back({due.at, due.line * kWorkers + worker});
      }
    }
    EXPECT_EQ(connections, lines);
    std::sort(together.begin(), together.end(),
              [](const Due& a, const Due& b) { return a.at < b.at; });
    ASSERT_EQ(reference.size(), together.size());
    for (std::size_t i = 0; i < reference.size(); ++i) {
      EXPECT_EQ(reference[i].at, together[i].at);
      EXPECT_EQ(reference[i].line, together[i].line);
    }
  }
}

}  // namespace
}  // namespace hone::traffic::load
