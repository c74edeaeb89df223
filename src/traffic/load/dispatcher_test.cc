// The load's accounting under simulated time: what is sent when, what is late and by whose doing,
// and what that makes of rate and latency.
#include "traffic/load/dispatcher_fixture.h"

namespace hone::traffic::load {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

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

TEST_F(DispatcherTest, EachEntryOfAMixIsCountedByItself) {
  make(1, 1000, std::chrono::seconds(1), {1, 3});
  begin(1000, 0.4);
  for (int ms = 0; ms < 400; ++ms) {
    advance_to(std::chrono::milliseconds(ms));
    const std::uint64_t sent = lines_->requests.size();
    // The second entry's answers are errors.
    answer(0, lines_->requests[sent - 1] == 0 ? 200 : 500);
  }
  const SliceResult result = finish();
  ASSERT_EQ(2U, result.requests.size());
  EXPECT_EQ(400U, result.requests[0].sent + result.requests[1].sent);
  EXPECT_NEAR(100, static_cast<double>(result.requests[0].sent), 45);  // five deviations
  EXPECT_EQ(result.requests[0].sent, result.requests[0].ok);
  EXPECT_EQ(0U, result.requests[1].ok);
}

TEST_F(DispatcherTest, ARequestSentAgainIsTheSameOne) {
  make(2, 10, std::chrono::seconds(1), {1, 1, 1, 1});
  begin(1000, 0.03);
  for (int ms = 0; ms < 30; ++ms) {
    advance_to(std::chrono::milliseconds(ms));
    const auto [line, id] = lines_->submitted.back();
    const std::uint16_t request = lines_->requests.back();
    lose(line, wire::Loss::kUnprocessed);
    advance_to(std::chrono::milliseconds(ms));
    EXPECT_EQ(id, lines_->submitted.back().second);
    EXPECT_EQ(request, lines_->requests.back());
    answer(lines_->submitted.back().first);
  }
  EXPECT_EQ(30U, finish().resent);
}

}  // namespace
}  // namespace hone::traffic::load
