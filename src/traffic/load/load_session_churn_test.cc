// Connections that end and are made again, and rates that change, over real sockets.
#include <gtest/gtest.h>

#include "traffic/load/load_session_fixture.h"

namespace hone::traffic::load {
namespace {

TEST_P(LoadSessionTest, RequestsPerConnectionIsKept) {
  serve([](int) { return Fate::kAnswer; });
  spec_.requests_per_connection = 5;
  const SliceResult result = run(connect(), slice_of(1000, 0.1));
  EXPECT_EQ(100U, result.ok + result.missed);
  EXPECT_EQ(0U, result.connection_error);
  EXPECT_TRUE(result.connection_failures.empty());
  EXPECT_GE(result.connections_made, result.ok / 5);
  EXPECT_LE(result.connections_made, 28U);  // the first of each connection had fewer
  EXPECT_EQ(result.connections_made, result.connecting.count());
}

TEST_P(LoadSessionTest, AConnectionForEachRequest) {
  serve([](int) { return Fate::kAnswer; });
  spec_.requests_per_connection = 1;
  const SliceResult result = run(connect(), slice_of(1000, 0.1));
  EXPECT_EQ(100U, result.ok + result.missed);
  EXPECT_EQ(0U, result.connection_error);
  // Each request had its own; those of the last ones were made again for nobody.
  EXPECT_GE(result.connections_made, result.ok);
  EXPECT_LE(result.connections_made, result.ok + 4);
}

TEST_P(LoadSessionTest, FirstLimitsAreSpreadSoThatConnectionsDoNotCloseTogether) {
  std::vector<int> made_when;  // the connections there had been, when each request came
  serve([&](int) {
    made_when.push_back(server_->connections());
    return Fate::kAnswer;
  });
  spec_.connections = 32;
  spec_.requests_per_connection = 40;
  const SliceResult result = run(connect(), slice_of(8000, 0.16));  // 40 for each
  EXPECT_EQ(1280U, result.ok + result.missed);
  // With one common limit nothing would have closed before the last round: 32 all the while. Drawn
  // evenly, half of the connections have been made again after half of the requests; five
  // deviations of 32 draws are 14.
  EXPECT_NEAR(32 + 16, made_when[made_when.size() / 2], 14);
}

TEST_P(LoadSessionTest, AConnectionsLifetimeEndsItAndNothingIsLost) {
  serve([](int) { return Fate::kAnswer; });
  spec_.connection_lifetime_s = 0.05;
  const SliceResult result = run(connect(), slice_of(1000, 0.5));
  EXPECT_EQ(500U, result.ok + result.missed);
  EXPECT_EQ(0U, result.connection_error);
  EXPECT_TRUE(result.connection_failures.empty());
  // Four at a time, ten lifetimes each, the first of them short: 40 to 44 made again and four at
  // first. A slow machine renews them later, and so fewer.
  EXPECT_GE(result.connections_made, 20U);
  EXPECT_LE(result.connections_made, 50U);
}

TEST_P(LoadSessionTest, WhatIsOpenEndsBeforeItsConnectionDoes) {
  serve([](int n) { return n % 10 == 0 ? Fate::kStall : Fate::kAnswer; });  // 200 ms
  spec_.connection_lifetime_s = 0.02;
  spec_.timeout_s = 5;
  SliceSpec slice = slice_of(100, 0.3);
  slice.drain_limit_s = 2;
  const SliceResult result = run(connect(), slice);
  EXPECT_EQ(30U, result.ok + result.missed);
  EXPECT_EQ(0U, result.connection_error + result.reset + result.timeout + result.unfinished);
  EXPECT_GE(result.latency.max_ns(), 199'000'000);
}

TEST_P(LoadSessionTest, ARateThatStepsHasFiguresForEachStep) {
  serve([](int) { return Fate::kAnswer; });
  SliceSpec slice;
  set_phases(&slice, *parse_steps("500,2000", 0.1));
  const SliceResult result = run(connect(), slice);
  ASSERT_EQ(2U, result.steps.size());
  EXPECT_EQ(50U, result.steps[0].counts.scheduled);
  EXPECT_EQ(200U, result.steps[1].counts.scheduled);
  EXPECT_EQ(250U, result.scheduled);
  EXPECT_EQ(result.latency.count(),
            result.steps[0].latency.count() + result.steps[1].latency.count());
  ASSERT_EQ(1U, result.series.size());
  EXPECT_EQ(result.ok, result.series[0].counts.ok);
}

}  // namespace
}  // namespace hone::traffic::load
