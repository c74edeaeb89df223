#include "traffic/load/schedule.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

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

TEST(ScheduleTest, StepsHaveTheirExactCountsEachWithinItsOwnTime) {
  SliceSpec spec;
  set_phases(&spec, *parse_steps("1000,4000,2000", 0.5));
  EXPECT_DOUBLE_EQ(1.5, spec.duration_s);
  EXPECT_DOUBLE_EQ(7000.0 / 3, spec.rate);
  for (const char* arrivals : {"even", "even:strict", "poisson", "burst:16"}) {
    spec.arrivals = *parse_arrivals(arrivals);
    Schedule schedule({7, 0, 1});
    const auto due = all(&schedule, spec);
    ASSERT_EQ(3500U, due.size()) << arrivals;
    std::size_t counts[3] = {};
    for (std::size_t i = 0; i < due.size(); ++i) {
      const auto offset = due[i].at - kScheduleStart;
      ASSERT_GE(offset.count(), 0);
      ++counts[static_cast<std::size_t>(offset / std::chrono::milliseconds(500))];
      ASSERT_GE(due[i].at, due[i == 0 ? 0 : i - 1].at) << arrivals;
      ASSERT_EQ(static_cast<int>(i % 7), due[i].line);
    }
    EXPECT_EQ(500U, counts[0]) << arrivals;
    EXPECT_EQ(2000U, counts[1]) << arrivals;
    EXPECT_EQ(1000U, counts[2]) << arrivals;
  }
}

TEST(ScheduleTest, StepsAreDueToTheMicrosecond) {
  SliceSpec spec;
  set_phases(&spec, *parse_steps("1000,2000", 0.01));
  spec.arrivals = *parse_arrivals("even:strict");
  Schedule schedule({1, 0, 1});
  const auto due = all(&schedule, spec);
  ASSERT_EQ(30U, due.size());
  for (std::size_t i = 0; i < due.size(); ++i) {
    const double us =
        i < 10 ? 1000.0 * static_cast<double>(i) : 10'000 + 500.0 * static_cast<double>(i - 10);
    EXPECT_NEAR(us, system::to_seconds(due[i].at - kScheduleStart) * 1e6, 0.01) << i;
  }
}

TEST(ScheduleTest, ARampIsDueWhereItsIntegralSaysToTheMicrosecond) {
  // From 0 to 2000 in a second: request i when 1000 t^2 = i. Downwards, and in parts, likewise.
  for (const int parts : {1, 10, 7}) {
    SliceSpec spec;
    set_phases(&spec, *parse_ramp("0:2000", 1, parts));
    spec.arrivals = *parse_arrivals("even:strict");
    Schedule schedule({1, 0, 1});
    const auto due = all(&schedule, spec);
    ASSERT_EQ(1000U, due.size());
    if (parts == 7) continue;  // parts of a request in each phase: the count holds all the same
    for (std::size_t i = 0; i < due.size(); ++i) {
      EXPECT_NEAR(std::sqrt(static_cast<double>(i) / 1000) * 1e6,
                  system::to_seconds(due[i].at - kScheduleStart) * 1e6, 0.1)
          << parts << " " << i;
    }
  }
  SliceSpec down;
  set_phases(&down, *parse_ramp("2000:0", 1, 1));
  down.arrivals = *parse_arrivals("even:strict");
  Schedule schedule({1, 0, 1});
  const auto due = all(&schedule, down);
  ASSERT_EQ(1000U, due.size());
  for (std::size_t i = 0; i < due.size(); ++i) {
    EXPECT_NEAR((1 - std::sqrt(1 - static_cast<double>(i) / 1000)) * 1e6,
                system::to_seconds(due[i].at - kScheduleStart) * 1e6, 0.1);
  }
}

TEST(ScheduleTest, AnyRampKeepsItsOrderItsCountAndItsTime) {
  for (const char* ramp : {"0:3000", "3000:0", "10:5000", "777.7:13"}) {
    for (const char* arrivals : {"even", "even:strict", "poisson", "burst:16"}) {
      for (const int parts : {1, 10, 37}) {
        SliceSpec spec;
        set_phases(&spec, *parse_ramp(ramp, 1.3, parts));
        spec.arrivals = *parse_arrivals(arrivals);
        Schedule schedule({3, 0, 1});
        const auto due = all(&schedule, spec);
        EXPECT_EQ(static_cast<std::size_t>(std::llround(spec.rate * spec.duration_s)), due.size());
        EXPECT_TRUE(std::is_sorted(due.begin(), due.end(),
                                   [](const Due& a, const Due& b) { return a.at < b.at; }))
            << ramp << " " << arrivals << " " << parts;
        EXPECT_GE(due.front().at, kScheduleStart);
        EXPECT_LT(due.back().at, kScheduleStart + system::seconds(1.3));
      }
    }
  }
}

TEST(ScheduleTest, WorkersShareARampAsTheyShareARate) {
  SliceSpec spec;
  set_phases(&spec, *parse_ramp("100:9000", 0.5, 4));
  Schedule whole({10, 0, 1});
  const auto reference = all(&whole, spec);
  std::vector<Due> together;
  for (int worker = 0; worker < 3; ++worker) {
    Schedule part({10, worker, 3});
    for (const Due& due : all(&part, spec)) together.push_back({due.at, due.line * 3 + worker});
  }
  std::sort(together.begin(), together.end(),
            [](const Due& a, const Due& b) { return a.at < b.at; });
  ASSERT_EQ(reference.size(), together.size());
  for (std::size_t i = 0; i < reference.size(); ++i) {
    EXPECT_EQ(reference[i].at, together[i].at);
    EXPECT_EQ(reference[i].line, together[i].line);
  }
}

TEST(RatePhaseTest, WrongRatesAreUsageErrors) {
  for (const char* text : {"", "0", "-1", "x", "1000,", "1000,,2", "1e400", "inf", "nan"}) {
    const auto phases = parse_steps(text, 1);
    ASSERT_FALSE(phases) << text;
    EXPECT_EQ(ErrorKind::kUsage, phases.error().kind);
  }
  EXPECT_FALSE(parse_steps("1000,2000", 0));
  for (const char* text : {"", "1", "1:", ":1", "0:0", "-1:5", "1:2:3", "a:b"}) {
    EXPECT_FALSE(parse_ramp(text, 1, 10)) << text;
  }
}

}  // namespace
}  // namespace hone::traffic::load
