// The load's accounting under simulated time: connections that answer after a set time, are busy,
// refuse, vanish, and a generator that comes late.
#include "traffic/load/dispatcher.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/random.h"

namespace hone::traffic::load {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using system::Duration;
using system::Instant;

const Instant kStart{std::chrono::seconds(50)};

class FakeLines : public Lines {
 public:
  struct Line {
    std::vector<std::uint64_t> open;
    int slots = 1;
    bool up = true;
    bool taking = true;  // false: up, but without a slot
    int renewed = 0;
  };
  explicit FakeLines(int count, int slots = 1) : lines(static_cast<std::size_t>(count)) {
    for (Line& line : lines) line.slots = slots;
  }
  Instant now() override { return time; }
  bool is_up(int line) override { return at(line).up; }
  int free_slots(int line) override {
    const Line& state = at(line);
    return state.up && state.taking ? state.slots - static_cast<int>(state.open.size()) : 0;
  }
  void submit(int line, std::uint64_t id) override {
    EXPECT_GT(free_slots(line), 0);
    at(line).open.push_back(id);
    submitted.push_back({line, id});
  }
  void send(int line) override { sends.push_back(line); }
  void renew(int line) override {
    at(line).open.clear();
    at(line).up = false;
    at(line).taking = true;
    ++at(line).renewed;
  }
  Line& at(int line) { return lines[static_cast<std::size_t>(line)]; }

  Instant time = kStart;
  std::vector<Line> lines;
  std::vector<std::pair<int, std::uint64_t>> submitted;
  std::vector<int> sends;
};

class DispatcherTest : public testing::Test {
 protected:
  void make(int lines, int slots = 1, Duration timeout = std::chrono::seconds(1)) {
    lines_ = std::make_unique<FakeLines>(lines, slots);
    dispatcher_ = std::make_unique<Dispatcher>(Share{lines, 0, 1}, lines_.get(), timeout);
  }
  // Strictly even: request i is due at i gaps.
  void begin(double rate, double duration_s) {
    SliceSpec spec;
    spec.rate = rate;
    spec.duration_s = duration_s;
    spec.arrivals = {Arrivals::Kind::kEvenStrict, 1};
    dispatcher_->prepare(spec);
    dispatcher_->begin(kStart);
  }
  Instant advance_to(Duration after_start) {
    lines_->time = kStart + after_start;
    return dispatcher_->advance(lines_->time);
  }
  void answer(int line, int status = 200) {
    const std::uint64_t id = lines_->at(line).open.front();
    lines_->at(line).open.erase(lines_->at(line).open.begin());
    dispatcher_->answered(line, id, {status, 10, 0}, lines_->time);
    dispatcher_->line_ready(line, lines_->time);
  }
  void lose(int line, wire::Loss why) {
    const std::uint64_t id = lines_->at(line).open.front();
    lines_->at(line).open.erase(lines_->at(line).open.begin());
    dispatcher_->lost(line, id, why, lines_->time);
    dispatcher_->line_ready(line, lines_->time);
  }
  SliceResult finish() {
    SliceResult result = dispatcher_->finish(lines_->time);
    EXPECT_TRUE(check_identities(result));
    EXPECT_EQ(result.latency.count(),
              result.ok + result.bad_status + result.timeout + result.expired + result.unfinished);
    EXPECT_EQ(result.service.count(), result.ok + result.bad_status);
    EXPECT_EQ(result.lateness.count(), result.sent);
    return result;
  }
  std::unique_ptr<FakeLines> lines_;
  std::unique_ptr<Dispatcher> dispatcher_;
};

TEST_F(DispatcherTest, SendsEachRequestOnItsConnectionWhenItIsDue) {
  make(2);
  begin(1000, 0.004);
  EXPECT_EQ(kStart + milliseconds(1), advance_to({}));
  EXPECT_EQ(1U, lines_->submitted.size());
  answer(0);
  advance_to(milliseconds(1) - microseconds(1));
  EXPECT_EQ(1U, lines_->submitted.size());
  advance_to(milliseconds(1));
  answer(1);
  advance_to(milliseconds(2));
  answer(0);
  EXPECT_FALSE(dispatcher_->finished(lines_->time));
  advance_to(milliseconds(3) + microseconds(7));
  lines_->time += microseconds(100);
  answer(1, 503);
  EXPECT_TRUE(dispatcher_->finished(lines_->time));

  EXPECT_EQ((std::vector<int>{0, 1, 0, 1}), lines_->sends);
  const SliceResult result = finish();
  EXPECT_EQ(4U, result.scheduled);
  EXPECT_EQ(4U, result.sent);
  EXPECT_EQ(3U, result.ok);
  EXPECT_EQ(1U, result.bad_status);
  EXPECT_EQ(1U, result.status.at("503"));
  EXPECT_EQ(40U, result.body_bytes);
  EXPECT_EQ(0U, result.blocked);
  EXPECT_EQ(7'000, result.lateness.max_ns());
  EXPECT_EQ(100'000, result.service.max_ns());
  EXPECT_EQ(107'000, result.latency.max_ns());
  EXPECT_DOUBLE_EQ(1000, result.achieved_rate);
  EXPECT_DOUBLE_EQ(0.003107, result.duration_s);
}

TEST_F(DispatcherTest, AStragglerCostsTheRateItselfAndNoMore) {
  make(2);
  begin(1000, 0.5);
  for (int ms = 0; ms < 500; ++ms) {
    if (ms == 498) lines_->at(0).up = false;
    advance_to(milliseconds(ms));
    if (ms != 498) answer(ms % 2);
  }
  lines_->time = kStart + milliseconds(1498);
  lines_->at(0).up = true;
  dispatcher_->line_ready(0, lines_->time);
  answer(0);
  const SliceResult result = finish();
  EXPECT_EQ(500U, result.sent);
  EXPECT_DOUBLE_EQ(998, result.achieved_rate);
}

TEST_F(DispatcherTest, ASendCountsForTheRateUntilTenMillisecondsAfterTheEnd) {
  for (const auto late : {milliseconds(10), milliseconds(11)}) {
    make(1);
    begin(1000, 0.002);
    advance_to({});
    advance_to(milliseconds(1));
    lines_->time = kStart + milliseconds(2) + late;
    answer(0);  // and the one that waited goes
    answer(0);
    const SliceResult result = finish();
    EXPECT_EQ(2U, result.sent);
    EXPECT_DOUBLE_EQ(late == milliseconds(10) ? 1000 : 500, result.achieved_rate);
  }
}

TEST_F(DispatcherTest, ABusyConnectionBlocksWithItsDueTimeAndNothingVanishes) {
  make(1);
  begin(1000, 0.2);  // due at 0, 1, ... 199 ms; the first answer takes 200 ms
  for (int ms = 0; ms < 200; ++ms) advance_to(milliseconds(ms));
  EXPECT_EQ(1U, lines_->submitted.size());
  lines_->time = kStart + milliseconds(200);
  for (int i = 0; i < 200; ++i) {  // then each one is answered in 10 us
    answer(0);
    lines_->time += microseconds(10);
  }
  const SliceResult result = finish();
  EXPECT_EQ(200U, result.ok);
  EXPECT_EQ(199U, result.blocked);
  EXPECT_EQ(0U, result.missed);
  // The stall is in the latencies at its full size: request i waited 200 - i ms.
  EXPECT_EQ(200'000'000, result.latency.max_ns());
  EXPECT_NEAR(static_cast<double>(result.latency.quantile_ns(0.5)), 101e6, 1.5e6);
  EXPECT_NEAR(result.latency.mean_ns(), 100.5e6 + 0.995e6, 0.2e6);
  // And in the service times once.
  EXPECT_NEAR(static_cast<double>(result.service.quantile_ns(0.99)), 10'000, 100);
}

TEST_F(DispatcherTest, TheGeneratorsOwnDelayIsMissedBeyondTenMilliseconds) {
  make(4);
  begin(1000, 0.1);
  advance_to({});
  // The loop comes back 30 ms later: what was due 1 to 19 ms after the start is more than 10 ms
  // late, what was due at 20 to 30 ms is not.
  advance_to(milliseconds(30));
  EXPECT_EQ(4U, lines_->submitted.size());  // one per connection; the others wait
  const SliceResult result = finish();      // the rest of the schedule is missed too
  EXPECT_EQ(100U, result.scheduled);
  EXPECT_EQ(19U + 69U, result.missed);
  EXPECT_EQ(4U, result.sent);
}

TEST_F(DispatcherTest, WhatWasBlockedIsNoneOfTheGeneratorsLateness) {
  make(1);
  begin(1000, 0.003);
  advance_to(microseconds(300));
  advance_to(milliseconds(1));  // blocked
  lines_->time = kStart + milliseconds(9);
  answer(0);
  answer(0);
  advance_to(milliseconds(9) + microseconds(500));
  const SliceResult result = finish();
  EXPECT_EQ(3U, result.sent);
  EXPECT_EQ(8'000'000, result.lateness.max_ns());
  EXPECT_EQ(2U, result.generator_lateness.count());
  EXPECT_EQ(7'500'000, result.generator_lateness.max_ns());  // due at 2 ms, looked at 7.5 ms late
}

TEST_F(DispatcherTest, ABlockedRequestIsNeverMissedHoweverLongItWaits) {
  make(1);
  begin(1000, 0.002);
  advance_to({});
  advance_to(milliseconds(1));  // looked at in time, blocked
  lines_->time = kStart + milliseconds(500);
  answer(0);
  answer(0);
  const SliceResult result = finish();
  EXPECT_EQ(0U, result.missed);
  EXPECT_EQ(2U, result.ok);
  EXPECT_EQ(499'000'000, result.lateness.max_ns());
}

TEST_F(DispatcherTest, WaitingBeyondTheTimeoutExpiresAndSentBeyondItTimesOut) {
  make(1, 1, milliseconds(100));
  begin(1000, 0.003);
  advance_to({});
  advance_to(milliseconds(1));
  EXPECT_EQ(kStart + milliseconds(100), advance_to(milliseconds(2)));
  EXPECT_EQ(0, lines_->at(0).renewed);
  EXPECT_EQ(kStart + milliseconds(101), advance_to(milliseconds(100)));
  EXPECT_EQ(1, lines_->at(0).renewed);
  advance_to(milliseconds(101));
  EXPECT_EQ(1, lines_->at(0).renewed);  // it is still on its way up
  lines_->at(0).up = true;
  dispatcher_->line_ready(0, lines_->time);
  EXPECT_EQ(2U, lines_->submitted.size());  // the third, due at 2 ms
  answer(0);
  const SliceResult result = finish();
  EXPECT_EQ(1U, result.timeout);
  EXPECT_EQ(1U, result.expired);
  EXPECT_EQ(1U, result.ok);
  EXPECT_EQ(100'000'000, result.latency.max_ns());
}

TEST_F(DispatcherTest, AnHttp2LineWithFreeStreamsOutlivesATimeoutAndIgnoresTheLateAnswer) {
  make(1, 2, milliseconds(100));
  begin(1000, 0.002);
  advance_to({});
  const std::uint64_t late = lines_->submitted[0].second;
  advance_to(milliseconds(1));
  std::swap(lines_->at(0).open[0], lines_->at(0).open[1]);
  answer(0);
  advance_to(milliseconds(100));
  EXPECT_EQ(0, lines_->at(0).renewed);
  EXPECT_TRUE(dispatcher_->is_open(0));
  lines_->at(0).open.clear();
  dispatcher_->answered(0, late, {200, 10, 0}, lines_->time);
  EXPECT_FALSE(dispatcher_->is_open(0));
  const SliceResult result = finish();
  EXPECT_EQ(1U, result.ok);
  EXPECT_EQ(1U, result.timeout);
}

TEST_F(DispatcherTest, AnHttp2LineWhoseStreamsAreAllGivenUpIsMadeAgain) {
  make(1, 2, milliseconds(100));
  begin(1000, 0.002);
  advance_to({});
  advance_to(milliseconds(1));
  advance_to(milliseconds(100));
  EXPECT_EQ(0, lines_->at(0).renewed);
  advance_to(milliseconds(101));
  EXPECT_EQ(1, lines_->at(0).renewed);
  EXPECT_EQ(2U, finish().timeout);
}

// A limit of requests per connection is reached, or a GOAWAY comes, when only streams that were
// given up are left: no request of theirs will run into its timeout again.
TEST_F(DispatcherTest, ALineWithoutSlotsWhoseStreamsWereGivenUpBeforeIsMadeAgain) {
  make(1, 3, milliseconds(100));
  begin(10, 0.3);  // due at 0, 100, 200 ms
  advance_to({});
  advance_to(milliseconds(100));
  EXPECT_EQ(0, lines_->at(0).renewed);  // one stream is given up, there are slots
  std::swap(lines_->at(0).open[0], lines_->at(0).open[1]);
  lines_->at(0).taking = false;
  answer(0);
  EXPECT_EQ(0, lines_->at(0).renewed);  // not from within its own event
  EXPECT_TRUE(dispatcher_->is_open(0));
  advance_to(milliseconds(101));
  EXPECT_EQ(1, lines_->at(0).renewed);
  EXPECT_FALSE(dispatcher_->is_open(0));
  lines_->at(0).up = true;
  dispatcher_->line_ready(0, lines_->time);
  advance_to(milliseconds(200));
  answer(0);
  const SliceResult result = finish();
  EXPECT_EQ(2U, result.ok);
  EXPECT_EQ(1U, result.timeout);
  EXPECT_EQ(0U, result.expired);
}

TEST_F(DispatcherTest, ALineThatTakesNothingThoughNothingIsOpenIsMadeAgainOnceARequestExpires) {
  make(1, 1, milliseconds(100));
  begin(1000, 0.003);
  advance_to({});
  lines_->at(0).taking = false;  // answered early, and the upload is not read to its end
  answer(0);
  advance_to(milliseconds(1));
  advance_to(milliseconds(2));
  advance_to(milliseconds(100));
  EXPECT_EQ(0, lines_->at(0).renewed);
  advance_to(milliseconds(101));
  EXPECT_EQ(1, lines_->at(0).renewed);
  lines_->at(0).up = true;
  dispatcher_->line_ready(0, lines_->time);
  answer(0);
  const SliceResult result = finish();
  EXPECT_EQ(2U, result.ok);
  EXPECT_EQ(1U, result.expired);
}

TEST_F(DispatcherTest, ALineThatIsNotUpIsNotMadeAgainOverAndOver) {
  make(1, 1, milliseconds(100));
  begin(1000, 0.003);
  lines_->at(0).up = false;
  for (const int ms : {0, 1, 2, 100, 101, 102}) advance_to(milliseconds(ms));
  EXPECT_EQ(0, lines_->at(0).renewed);
  EXPECT_EQ(3U, finish().expired);
}

TEST_F(DispatcherTest, LossesHaveTheirOwnNames) {
  make(3);
  begin(1000, 0.003);
  advance_to({});
  lose(0, wire::Loss::kReset);
  advance_to(milliseconds(1));
  lose(1, wire::Loss::kConnection);
  advance_to(milliseconds(2));
  dispatcher_->line_gone(2, lines_->time);
  const SliceResult result = finish();
  EXPECT_EQ(1U, result.reset);
  EXPECT_EQ(2U, result.connection_error);
  EXPECT_EQ(3U, result.sent);
  EXPECT_EQ(0U, result.latency.count());
}

TEST_F(DispatcherTest, WhatThePeerNeverLookedAtGoesElsewhereOnceAndCountsOnce) {
  make(2);
  begin(1000, 0.001);
  advance_to({});
  lines_->time += microseconds(50);
  lose(0, wire::Loss::kUnprocessed);
  EXPECT_EQ(1U, lines_->submitted.size());  // not from within the event
  dispatcher_->advance(lines_->time);
  ASSERT_EQ(2U, lines_->submitted.size());
  EXPECT_EQ(1, lines_->submitted[1].first);
  lines_->time += microseconds(50);
  answer(1);
  const SliceResult result = finish();
  EXPECT_EQ(1U, result.sent);
  EXPECT_EQ(1U, result.resent);
  EXPECT_EQ(1U, result.ok);
  EXPECT_EQ(100'000, result.latency.max_ns());
  EXPECT_EQ(50'000, result.service.max_ns());
}

TEST_F(DispatcherTest, WhatIsRefusedGoesToALineThatIsUpAndFree) {
  make(4, 2);
  SliceSpec spec;
  spec.rate = 1000;
  spec.duration_s = 0.008;
  spec.arrivals = {Arrivals::Kind::kBurst, 8};
  dispatcher_->prepare(spec);
  dispatcher_->begin(kStart);
  advance_to({});
  EXPECT_EQ(8U, lines_->submitted.size());
  lines_->at(1).up = false;
  lines_->at(1).open.clear();
  dispatcher_->line_gone(1, lines_->time);
  answer(2);
  answer(3);  // one slot each; the line next to the first is not up
  lose(0, wire::Loss::kUnprocessed);
  lose(0, wire::Loss::kUnprocessed);
  dispatcher_->advance(lines_->time);
  ASSERT_EQ(10U, lines_->submitted.size());
  EXPECT_EQ(2, lines_->submitted[8].first);
  EXPECT_EQ(3, lines_->submitted[9].first);
  lose(2, wire::Loss::kUnprocessed);  // now the first has room
  dispatcher_->advance(lines_->time);
  ASSERT_EQ(11U, lines_->submitted.size());
  EXPECT_EQ(0, lines_->submitted[10].first);
  const SliceResult result = finish();
  EXPECT_EQ(8U, result.sent);
  EXPECT_EQ(3U, result.resent);
}

TEST_F(DispatcherTest, WhatIsRefusedWaitsForTheNextLineWhereNoneIsFree) {
  make(2);
  begin(1000, 0.002);
  advance_to({});
  advance_to(milliseconds(1));
  lose(0, wire::Loss::kUnprocessed);
  dispatcher_->advance(lines_->time);
  EXPECT_EQ(2U, lines_->submitted.size());
  answer(1);
  ASSERT_EQ(3U, lines_->submitted.size());
  EXPECT_EQ(1, lines_->submitted[2].first);
  answer(1);
  EXPECT_EQ(2U, finish().ok);
}

TEST_F(DispatcherTest, ASecondRefusalIsAReset) {
  make(2);
  begin(1000, 0.001);
  advance_to({});
  lose(0, wire::Loss::kUnprocessed);
  dispatcher_->advance(lines_->time);
  lose(1, wire::Loss::kUnprocessed);
  const SliceResult result = finish();
  EXPECT_EQ(1U, result.sent);
  EXPECT_EQ(1U, result.reset);
}

TEST_F(DispatcherTest, ARefusedRequestThatFindsNoSlotInTimeHasTimedOut) {
  make(1, 1, milliseconds(100));
  begin(1000, 0.001);
  advance_to({});
  lines_->at(0).up = false;
  lose(0, wire::Loss::kUnprocessed);
  advance_to(milliseconds(100));
  const SliceResult result = finish();
  EXPECT_EQ(1U, result.sent);
  EXPECT_EQ(1U, result.timeout);
  EXPECT_EQ(0U, result.expired);
}

TEST_F(DispatcherTest, TheDrainIsBounded) {
  make(1, 1, std::chrono::seconds(60));
  begin(1000, 0.002);
  advance_to({});
  advance_to(milliseconds(1));
  EXPECT_EQ(kStart + milliseconds(2) + std::chrono::seconds(2), advance_to(milliseconds(2)));
  EXPECT_FALSE(dispatcher_->finished(lines_->time));
  advance_to(milliseconds(2002));
  EXPECT_TRUE(dispatcher_->finished(lines_->time));
  const SliceResult result = finish();
  EXPECT_EQ(1U, result.unfinished);
  EXPECT_EQ(1U, result.expired);  // the one that still waited
  EXPECT_EQ(2'002'000'000, result.latency.max_ns());
}

TEST_F(DispatcherTest, ACutSliceKeepsWhatWasDueAndDropsTheRest) {
  make(2, 1, std::chrono::seconds(60));
  begin(1000, 1);
  for (int ms = 0; ms < 100; ++ms) {
    advance_to(milliseconds(ms));
    if (ms != 99) answer(ms % 2);
  }
  lines_->time = kStart + milliseconds(100);
  dispatcher_->cut(lines_->time);  // one more is due just now
  EXPECT_EQ(101U, lines_->submitted.size());
  answer(0);
  advance_to(milliseconds(110));
  EXPECT_FALSE(dispatcher_->finished(lines_->time));  // one has no answer yet
  advance_to(milliseconds(2099));
  EXPECT_FALSE(dispatcher_->finished(lines_->time));
  advance_to(milliseconds(2100));  // the drain is as long as ever
  EXPECT_TRUE(dispatcher_->finished(lines_->time));
  const SliceResult result = finish();
  EXPECT_EQ(101U, result.scheduled);
  EXPECT_EQ(100U, result.ok);
  EXPECT_EQ(0U, result.missed);
  EXPECT_DOUBLE_EQ(1010, result.achieved_rate);
}

TEST_F(DispatcherTest, ABurstIsWrittenWholeWithOneWritePerConnection) {
  make(4, 100);
  SliceSpec spec;
  spec.rate = 1000;
  spec.duration_s = 0.064;
  spec.arrivals = {Arrivals::Kind::kBurst, 16};
  dispatcher_->prepare(spec);
  dispatcher_->begin(kStart);
  EXPECT_EQ(kStart + milliseconds(16), advance_to({}));
  EXPECT_EQ(16U, lines_->submitted.size());
  EXPECT_EQ((std::vector<int>{0, 1, 2, 3}), lines_->sends);
  advance_to(milliseconds(64));
  finish();
}

TEST_F(DispatcherTest, AClosedLoopKeepsEverySlotBusyUntilItsEnd) {
  make(2, 3);
  SliceSpec spec;
  spec.closed_loop = true;
  spec.duration_s = 0.01;
  dispatcher_->prepare(spec);
  dispatcher_->begin(kStart);
  advance_to({});
  EXPECT_EQ(6U, lines_->submitted.size());
  lines_->time += milliseconds(1);
  answer(0);
  EXPECT_EQ(7U, lines_->submitted.size());
  lines_->time = kStart + milliseconds(10);
  for (int i = 0; i < 3; ++i) answer(0), answer(1);
  EXPECT_EQ(7U, lines_->submitted.size());
  EXPECT_TRUE(dispatcher_->finished(lines_->time));
  const SliceResult result = finish();
  EXPECT_EQ(7U, result.scheduled);
  EXPECT_EQ(7U, result.ok);
  EXPECT_EQ(0, result.target_rate);
  EXPECT_DOUBLE_EQ(700, result.achieved_rate);
}

TEST_F(DispatcherTest, RequestsAreSpreadEvenlyOverOneTo256ConnectionsOverSlices) {
  for (int connections = 1; connections <= 256; connections += connections < 20 ? 1 : 59) {
    for (const int slots : {1, 32}) {  // HTTP/1, HTTP/2
      make(connections, slots);
      SliceResult result;
      for (int slice = 0; slice < 3; ++slice) {
        begin(10'000, 0.0333);  // 333 requests: seldom a multiple of the connections
        for (int i = 0; i < 333; ++i) {
          advance_to(microseconds(100 * i));
          for (int line = 0; line < connections; ++line) {
            while (!lines_->at(line).open.empty()) answer(line);
          }
        }
        result = finish();
        EXPECT_EQ(333U, result.ok);
      }
      EXPECT_LE(result.per_connection_max - result.per_connection_min, 1U) << connections;
      EXPECT_EQ(
          (999U + static_cast<unsigned>(connections) - 1) / static_cast<unsigned>(connections),
          result.per_connection_max);
    }
  }
}

// Whatever happens in whatever order, the counts add up (finish() checks), every id comes to one
// end, and no connection is given more than its slots (FakeLines checks).
TEST_F(DispatcherTest, IdentitiesHoldUnderRandomFaults) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    Random random(seed);
    const int lines = 1 + static_cast<int>(random.below(9));
    make(lines, random.below(2) == 0 ? 1 : 4, milliseconds(20));
    for (int slice = 0; slice < 3; ++slice) {
      SliceSpec spec;
      spec.rate = 20'000;
      spec.duration_s = 0.05;
      spec.drain_limit_s = 0.03;
      spec.seed = seed;
      spec.closed_loop = random.below(4) == 0;
      spec.arrivals = {random.below(2) == 0 ? Arrivals::Kind::kPoisson : Arrivals::Kind::kBurst, 7};
      const Instant start = lines_->time;
      dispatcher_->prepare(spec);
      dispatcher_->begin(start);
      while (!dispatcher_->finished(lines_->time)) {
        lines_->time += microseconds(random.below(50) == 0 ? 15'000 : random.below(200));
        dispatcher_->advance(lines_->time);
        const int line = static_cast<int>(random.below(static_cast<std::uint64_t>(lines)));
        FakeLines::Line& state = lines_->at(line);
        const std::uint64_t fate = random.below(20);
        if (fate == 0) {  // the connection breaks, and is back later
          state.open.clear();
          state.up = false;
          dispatcher_->line_gone(line, lines_->time);
        } else if (fate < 3 && !state.up) {
          state.up = true;
          dispatcher_->line_ready(line, lines_->time);
        } else if (!state.open.empty()) {
          if (fate == 4) lose(line, wire::Loss::kReset);
          if (fate == 5) lose(line, wire::Loss::kUnprocessed);
          if (fate == 6) lose(line, wire::Loss::kConnection);
          if (fate > 8) answer(line, fate == 9 ? 500 : 200);
        }
      }
      const SliceResult result = finish();
      EXPECT_TRUE(spec.closed_loop || result.scheduled == 1000);
      for (int line = 0; line < lines; ++line) {  // as the worker does between slices
        if (!dispatcher_->is_open(line)) continue;
        lines_->at(line).open.clear();
        dispatcher_->line_gone(line, lines_->time);
      }
    }
  }
}

}  // namespace
}  // namespace hone::traffic::load
