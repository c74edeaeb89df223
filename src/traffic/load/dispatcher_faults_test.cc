// The load's accounting under simulated time: connections that do not answer, refuse, vanish or
// take nothing more.
#include "base/random.h"
#include "traffic/load/dispatcher_fixture.h"

namespace hone::traffic::load {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using system::Instant;

using DispatcherFaultsTest = DispatcherTest;
using Counts = std::map<std::string, std::uint64_t>;

TEST_F(DispatcherFaultsTest, WaitingBeyondTheTimeoutExpiresAndSentBeyondItTimesOut) {
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

TEST_F(DispatcherFaultsTest, AnHttp2LineWithFreeStreamsOutlivesATimeoutAndIgnoresTheLateAnswer) {
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

TEST_F(DispatcherFaultsTest, AnHttp2LineWhoseStreamsAreAllGivenUpIsMadeAgain) {
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
TEST_F(DispatcherFaultsTest, ALineWithoutSlotsWhoseStreamsWereGivenUpBeforeIsMadeAgain) {
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

TEST_F(DispatcherFaultsTest,
       ALineThatTakesNothingThoughNothingIsOpenIsMadeAgainOnceARequestExpires) {
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

TEST_F(DispatcherFaultsTest, ALineThatIsNotUpIsNotMadeAgainOverAndOver) {
  make(1, 1, milliseconds(100));
  begin(1000, 0.003);
  lines_->at(0).up = false;
  for (const int ms : {0, 1, 2, 100, 101, 102}) advance_to(milliseconds(ms));
  EXPECT_EQ(0, lines_->at(0).renewed);
  EXPECT_EQ(3U, finish().expired);
}

TEST_F(DispatcherFaultsTest, LossesHaveTheirOwnNames) {
  make(3);
  begin(1000, 0.003);
  advance_to({});
  lose(0, wire::Loss::kReset);
  advance_to(milliseconds(1));
  lose(1, wire::Loss::kConnection);
  advance_to(milliseconds(2));
  dispatcher_->line_gone(2, wire::Failure::kConnectionReset, lines_->time);
  const SliceResult result = finish();
  EXPECT_EQ(1U, result.reset);
  EXPECT_EQ(2U, result.connection_error);
  EXPECT_EQ((Counts{{"stream-reset", 1}, {"closed-in-body", 1}, {"connection-reset", 1}}),
            result.failures);
  EXPECT_EQ(3U, result.sent);
  EXPECT_EQ(0U, result.latency.count());
}

TEST_F(DispatcherFaultsTest, WhatThePeerNeverLookedAtGoesElsewhereOnceAndCountsOnce) {
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

TEST_F(DispatcherFaultsTest, AGoawayMayBeMetAgainAndARefusalMayNot) {
  make(2);
  begin(1000, 0.001);
  advance_to({});
  for (const int line : {0, 1, 0}) {
    lose(line, wire::Loss::kUnprocessed, wire::Failure::kGoaway);
    dispatcher_->advance(lines_->time);
  }
  ASSERT_EQ(4U, lines_->submitted.size());
  lose(1, wire::Loss::kUnprocessed, wire::Failure::kRefusedStream);
  dispatcher_->advance(lines_->time);
  EXPECT_EQ(4U, lines_->submitted.size());
  const SliceResult result = finish();
  EXPECT_EQ(1U, result.sent);
  EXPECT_EQ(3U, result.resent);
  EXPECT_EQ((Counts{{"refused-stream", 1}}), result.failures);
}

TEST_F(DispatcherFaultsTest, WhatIsRefusedGoesToALineThatIsUpAndFree) {
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
  dispatcher_->line_gone(1, wire::Failure::kConnectionReset, lines_->time);
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

TEST_F(DispatcherFaultsTest, WhatIsRefusedWaitsForTheNextLineWhereNoneIsFree) {
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

TEST_F(DispatcherFaultsTest, ASecondRefusalIsAReset) {
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

TEST_F(DispatcherFaultsTest, ARefusedRequestThatFindsNoSlotInTimeHasTimedOut) {
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

// Whatever happens in whatever order, the counts add up (finish() checks), every id comes to one
// end, and no connection is given more than its slots (FakeLines checks).
TEST_F(DispatcherFaultsTest, IdentitiesHoldUnderRandomFaults) {
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
          dispatcher_->line_gone(line, wire::Failure::kConnectionReset, lines_->time);
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
        dispatcher_->line_gone(line, wire::Failure::kConnectionReset, lines_->time);
      }
    }
  }
}

}  // namespace
}  // namespace hone::traffic::load
