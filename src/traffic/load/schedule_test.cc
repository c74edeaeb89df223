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

TEST(ScheduleTest, TheMixIsTheSameForAnyNumberOfWorkersAndConnections) {
  const std::vector<double> shares{3, 1, 1};
  const auto mix_of = [&](int connections, int workers, const char* arrivals) {
    std::vector<Due> together;
    for (int worker = 0; worker < workers; ++worker) {
      Schedule part({connections, worker, workers}, Mix(shares));
      const auto due = all(&part, spec_of(8000, 0.25, arrivals));
      together.insert(together.end(), due.begin(), due.end());
    }
    std::sort(together.begin(), together.end(),
              [](const Due& a, const Due& b) { return a.at < b.at; });
    std::vector<int> mix;
    for (const Due& due : together) mix.push_back(due.request);
    return mix;
  };
  const auto reference = mix_of(16, 1, "poisson");
  EXPECT_EQ(reference, mix_of(16, 3, "poisson"));
  EXPECT_EQ(reference, mix_of(7, 2, "poisson"));
  EXPECT_EQ(reference, mix_of(16, 3, "even:strict"));
  // Five deviations of 2,000 draws at 3 of 5.
  EXPECT_NEAR(1200, std::count(reference.begin(), reference.end(), 0), 110);
}

TEST(ScheduleTest, EveryConnectionGetsTheWholeMix) {
  // As many entries as connections, evenly shared: drawn by i mod N each would get one kind only.
  Schedule schedule({4, 0, 1}, Mix({1, 1, 1, 1}));
  int seen[4][4] = {};
  for (const Due& due : all(&schedule, spec_of(8000, 0.5))) ++seen[due.line][due.request];
  for (const auto& line : seen) {
    for (const int count : line) EXPECT_NEAR(250, count, 5 * 14);  // five deviations
  }
}

}  // namespace
}  // namespace hone::traffic::load
