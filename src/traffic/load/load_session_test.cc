// The load session over real sockets, in process and at the end of a pipe.
#include "traffic/load/load_session.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <future>

#include "base/random.h"
#include "system/interrupt.h"
#include "traffic/load/load_session_fixture.h"
#include "traffic/load/worker.h"

namespace hone::traffic::load {
namespace {

using Counts = std::map<std::string, std::uint64_t>;

INSTANTIATE_TEST_SUITE_P(Ways, LoadSessionTest, testing::Values(Way::kInProcess, Way::kRemote),
                         [](const testing::TestParamInfo<Way>& way) {
                           return way.param == Way::kInProcess ? "InProcess" : "Remote";
                         });

TEST_P(LoadSessionTest, SendsTheWholeScheduleAndCountsItsBytes) {
  serve([](int) { return Fate::kAnswer; });
  const PoolId pool = connect();
  const SliceResult result = run(pool, slice_of(2000, 0.1));
  EXPECT_EQ(200U, result.scheduled);
  EXPECT_EQ(result.sent, result.ok);
  EXPECT_EQ(4 * result.ok, result.body_bytes);
  EXPECT_GT(result.bytes_in, result.body_bytes);
  EXPECT_GT(result.bytes_out, 0U);
  EXPECT_EQ(4U, result.connections_made);
  EXPECT_EQ(50U, result.per_connection_min);
  EXPECT_EQ(50U, result.per_connection_max);
  EXPECT_GT(result.client_cpu_s, 0);
  EXPECT_GT(result.release_turns, 0U);
  EXPECT_LE(result.release_turns, result.sent);
  EXPECT_EQ(static_cast<int>(result.sent), server_->requests());
  // The next slice reuses the connections.
  EXPECT_EQ(0U, run(pool, slice_of(2000, 0.02)).connections_made);
}

TEST_P(LoadSessionTest, AStallIsSeenAtItsFullSizeByAllThatWaitedForIt) {
  serve([](int n) { return n == 10 ? Fate::kStall : Fate::kAnswer; });
  spec_.connections = 1;
  spec_.timeout_s = 5;
  SliceSpec slice = slice_of(500, 0.5);
  slice.arrivals = {Arrivals::Kind::kEvenStrict, 1};
  const SliceResult result = run(connect(), slice);
  EXPECT_EQ(250U, result.ok + result.missed);
  EXPECT_GE(result.latency.max_ns(), 199'000'000);
  EXPECT_GE(result.blocked + result.missed, 90U);
  // 100 of the 250 fell due during the stall: the worst 15 % of all waited 126 ms or longer. The
  // bounds leave room for a machine that is busy otherwise.
  EXPECT_GT(result.latency.quantile_ns(0.85), 50'000'000);
  EXPECT_LT(result.service.quantile_ns(0.85), 40'000'000);
}

TEST_P(LoadSessionTest, NoAnswerIsATimeoutAndTheConnectionIsMadeAgain) {
  serve([](int n) { return n == 3 ? Fate::kNever : Fate::kAnswer; });
  const SliceResult result = run(connect(), slice_of(1000, 0.2));
  EXPECT_EQ(1U, result.timeout);
  EXPECT_EQ((Counts{{"timeout", 1}}), result.failures);
  EXPECT_EQ((Counts{{"timeout", 1}}), result.connection_failures);
  EXPECT_EQ(5U, result.connections_made);
  EXPECT_GE(result.latency.max_ns(), 100'000'000);
  EXPECT_GT(result.blocked, 10U);
}

TEST_P(LoadSessionTest, ResetsMidBodyClosesAndGarbageAreConnectionErrors) {
  serve([](int n) {
    return n == 5    ? Fate::kReset
           : n == 15 ? Fate::kMidBody
           : n == 25 ? Fate::kGarbage
           : n == 35 ? Fate::kError
                     : Fate::kAnswer;
  });
  const SliceResult result = run(connect(), slice_of(1000, 0.1));
  EXPECT_EQ(3U, result.connection_error);
  EXPECT_EQ(1U, result.bad_status);
  EXPECT_EQ(1U, result.status.at("503"));
  EXPECT_EQ(7U, result.connections_made);
  const Counts names{{"connection-reset", 1}, {"closed-in-body", 1}, {"broken-protocol", 1}};
  EXPECT_EQ(names, result.failures);
  EXPECT_EQ(names, result.connection_failures);
}

TEST_P(LoadSessionTest, AnIdleConnectionThatThePeerClosesIsMadeAgainAtOnce) {
  serve([](int n) { return n % 10 == 9 ? Fate::kAnswerClose : Fate::kAnswer; });
  const SliceResult result = run(connect(), slice_of(500, 0.2));
  EXPECT_EQ(result.sent, result.ok + result.connection_error);
  EXPECT_GE(result.connections_made, 4U + 9U);
  EXPECT_LE(result.connection_error, 3U);  // only where a send crossed the close
}

TEST_P(LoadSessionTest, ConnectionsClosedBetweenSlicesAreUpAgainBeforeTheNext) {
  serve([](int) { return Fate::kAnswer; });
  const PoolId pool = connect();
  run(pool, slice_of(1000, 0.02));
  thread_->call([&] { server_->close_all(); });
  thread_->call([] {});  // the loop sees the ends of input
  const SliceResult result = run(pool, slice_of(1000, 0.05));
  EXPECT_EQ(4U, result.connections_made);
  EXPECT_EQ((Counts{{"closed-while-idle", 4}}), result.connection_failures);
  EXPECT_EQ(0U, result.connection_error);
  EXPECT_EQ(50U, result.ok + result.missed);
}

TEST_P(LoadSessionTest, AConnectionClosedBetweenConnectingAndTheStartIsMadeAgain) {
  serve([](int) { return Fate::kAnswer; });
  std::unique_ptr<Worker> worker;
  std::promise<Status> connected;
  thread_->call([&] {
    worker = *Worker::make(&thread_->loop(), spec_, {spec_.connections, 0, 1});
    worker->connect([&](Status status) { connected.set_value(std::move(status)); });
  });
  ASSERT_TRUE(connected.get_future().get());
  thread_->call([&] { server_->close_all(); });
  thread_->call([] {});
  std::promise<Result<SliceResult>> sliced;
  thread_->call([&] {
    EXPECT_EQ(0, worker->connections_up());
    worker->prepare(slice_of(1000, 0.05));
    worker->slice(system::net::Loop::read_clock(),
                  [&](Result<SliceResult> result) { sliced.set_value(std::move(result)); });
  });
  const auto result = sliced.get_future().get();
  thread_->call([&] { worker.reset(); });
  ASSERT_TRUE(result);
  EXPECT_EQ(50U, result->ok + result->missed);
  EXPECT_EQ(8U, result->connections_made);
}

TEST_P(LoadSessionTest, WhatIsStillOpenAfterTheDrainIsUnfinishedAndItsConnectionIsReplaced) {
  std::atomic<bool> answer{false};
  serve([&](int) { return answer ? Fate::kAnswer : Fate::kNever; });
  spec_.timeout_s = 60;
  const PoolId pool = connect();
  SliceSpec slice = slice_of(1000, 0.02);
  slice.drain_limit_s = 0.02;
  const SliceResult stuck = run(pool, slice);
  EXPECT_EQ(4U, stuck.unfinished);
  EXPECT_EQ(16U, stuck.expired + stuck.missed);
  answer = true;
  const SliceResult healthy = run(pool, slice);
  EXPECT_EQ(20U, healthy.ok + healthy.missed);
  EXPECT_EQ(4U, healthy.connections_made);
}

TEST_P(LoadSessionTest, AConnectionWhoseUploadIsNotReadToItsEndIsReplacedForTheNextSlice) {
  serve([](int n) { return n == 0 ? Fate::kAnswerDeaf : Fate::kAnswer; });
  spec_.connections = 1;
  spec_.timeout_s = 5;
  spec_.requests[0].request.method = "POST";
  spec_.requests[0].request.body.assign(16 << 20, 'b');  // more than the kernel's buffers take
  const PoolId pool = connect();
  const SliceResult early = run(pool, slice_of(10, 0.1));
  EXPECT_EQ(1U, early.ok);
  const SliceResult next = run(pool, slice_of(10, 0.1));
  EXPECT_EQ(1U, next.ok);
  EXPECT_EQ(1U, next.connections_made);
}

TEST_P(LoadSessionTest, AClosedLoopRunsAsFastAsItIsAnswered) {
  serve([](int) { return Fate::kAnswer; });
  SliceSpec slice = slice_of(1, 0.1);
  slice.closed_loop = true;
  const SliceResult result = run(connect(), slice);
  EXPECT_GT(result.ok, 50U);
  EXPECT_EQ(result.scheduled, result.sent);
  EXPECT_GT(result.achieved_rate, 500);  // the rate asked for, 1, does not count
}

TEST_P(LoadSessionTest, SpinningSendsTheSame) {
  serve([](int) { return Fate::kAnswer; });
  SliceSpec slice = slice_of(1000, 0.05);
  slice.spin = true;
  const SliceResult result = run(connect(), slice);
  EXPECT_EQ(50U, result.sent + result.missed);
  EXPECT_LT(result.client_wakes, 10U);  // one by one it would sleep before each of the 50
}

TEST_P(LoadSessionTest, ThreadsShareAScheduleAndAPool) {
  serve([](int) { return Fate::kAnswer; });
  auto second = *LoopThread::start({});
  start({thread_.get(), second.get()});
  spec_.connections = 7;
  const PoolId pool = connect();
  const auto state = session_->spread(pool, {});
  ASSERT_TRUE(state);
  EXPECT_EQ(7, state->connections);
  EXPECT_EQ(7U, state->local_ports.size());
  for (const std::uint16_t port : state->local_ports) EXPECT_NE(0, port);
  const SliceResult result = run(pool, slice_of(1000, 0.1));
  EXPECT_EQ(100U, result.scheduled);
  EXPECT_EQ(14U, result.per_connection_min);
  EXPECT_EQ(15U, result.per_connection_max);
  EXPECT_EQ(7U, result.connections_made);
  EXPECT_DOUBLE_EQ(1000, result.target_rate);
  // The sum: one of the two alone has at most four of the seven connections.
  EXPECT_GT(result.achieved_rate, 600);
  EXPECT_LT(result.achieved_rate, 1001);
  stop();  // before its second thread
}

TEST_P(LoadSessionTest, RedialMakesTheNamedConnectionsAnewAndNoOther) {
  serve([](int) { return Fate::kAnswer; });
  auto second = *LoopThread::start({});
  start({thread_.get(), second.get()});
  spec_.connections = 5;
  const PoolId pool = connect();
  const auto before = session_->spread(pool, {});
  const auto after = session_->spread(pool, {1, 4});
  ASSERT_TRUE(before && after);
  EXPECT_EQ(5, after->connections);
  for (const std::size_t kept : {0U, 2U, 3U}) {
    EXPECT_EQ(before->local_ports[kept], after->local_ports[kept]);
  }
  for (const std::size_t anew : {1U, 4U}) {
    EXPECT_NE(before->local_ports[anew], after->local_ports[anew]);
  }
  EXPECT_EQ(7U, run(pool, slice_of(1000, 0.05)).connections_made);
  EXPECT_FALSE(session_->spread(pool, {5}));
  stop();  // before its second thread
}

TEST_P(LoadSessionTest, AConnectionNeverAskedIsTheLeastWhicheverThreadHasIt) {
  serve([](int) { return Fate::kAnswer; });
  auto second = *LoopThread::start({});
  start({thread_.get(), second.get()});
  spec_.connections = 2;
  const SliceResult result = run(connect(), slice_of(10, 0.1));  // one request
  EXPECT_EQ(1U, result.scheduled);
  EXPECT_EQ(0U, result.per_connection_min);
  EXPECT_EQ(1U, result.per_connection_max);
  stop();  // before its second thread
}

// An interrupt stays: the slice runs in a process of its own. 0: as it should be.
int run_and_interrupt(Way way, bool keep) {
  system::catch_interrupts();
  const auto thread = *LoopThread::start({});
  std::optional<RawServer> server;
  thread->call([&] {
    server.emplace(&thread->loop(), [](int n) {
      if (n == 20) ::kill(::getpid(), SIGINT);  // the loops take no signals
      return Fate::kAnswer;
    });
  });
  std::optional<FarSide> far;
  if (way == Way::kRemote) far.emplace(std::vector<LoopThread*>{thread.get()});
  const auto session = far ? far->session() : make_in_process(thread.get());
  PoolSpec pool;
  pool.target.address = server->address();
  SliceSpec slice;
  slice.rate = 2000;
  slice.duration_s = 60;
  slice.keep_interrupted = keep;
  const auto result = session->slice(*session->connect(pool), slice);
  thread->call([&] { server.reset(); });
  if (!keep) return !result && result.error().kind == ErrorKind::kInterrupted ? 0 : 1;
  if (!result || !result->interrupted || !check_identities(*result)) return 2;
  return result->ok >= 20 && result->scheduled < 60'000 ? 0 : 3;
}

TEST(LoadSessionDeathTest, AnInterruptEndsASliceWithItsPartOrAnError) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  for (const Way way : {Way::kInProcess, Way::kRemote}) {
    EXPECT_EXIT(std::exit(run_and_interrupt(way, true)), testing::ExitedWithCode(0), "");
    EXPECT_EXIT(std::exit(run_and_interrupt(way, false)), testing::ExitedWithCode(0), "");
  }
}

TEST_P(LoadSessionTest, ACutEndsASliceWithItsPart) {
  serve([this](int n) {
    if (n == 20) session_->cut();
    return Fate::kAnswer;
  });
  const SliceResult result = run(connect(), slice_of(1000, 60));
  EXPECT_TRUE(result.interrupted);
  EXPECT_GE(result.ok, 20U);
  EXPECT_LT(result.scheduled, 60'000U);
  // It is for one slice only.
  EXPECT_FALSE(run(connect(), slice_of(1000, 0.02)).interrupted);
}

TEST_P(LoadSessionTest, WhoWatchesIsToldHowFarASliceIs) {
  serve([](int) { return Fate::kAnswer; });
  std::vector<SliceProgress> seen;
  session_->watch([&](const SliceProgress& progress) { seen.push_back(progress); });
  const SliceResult result = run(connect(), slice_of(500, 0.3));
  if (GetParam() == Way::kRemote) return;  // a far side does not tell
  ASSERT_FALSE(seen.empty());
  EXPECT_DOUBLE_EQ(0.3, seen[0].duration_s);
  EXPECT_LE(seen[0].ok, result.ok);
  EXPECT_LE(seen[0].ended, seen[0].sent);
}

TEST_P(LoadSessionTest, NobodyListeningIsAnErrorThatSaysHowManyCameUp) {
  serve([](int) { return Fate::kAnswer; });
  spec_.target.address.port = system::net::free_ports(1)->front();
  const auto pool = session_->connect(spec_);
  ASSERT_FALSE(pool);
  EXPECT_EQ(ErrorKind::kNetwork, pool.error().kind);
  EXPECT_NE(std::string::npos, pool.error().what.find("0 of 4 connections"));
  EXPECT_NE(std::string::npos, pool.error().what.find("refused"));
}

TEST_P(LoadSessionTest, TheAddressesOfANameAreTriedInTurn) {
  serve([](int) { return Fate::kAnswer; });
  const auto nobody = system::net::free_ports(2);
  ASSERT_TRUE(nobody);
  const system::net::Address there = spec_.target.address;
  const system::net::Address first{"127.0.0.1", nobody->front()};
  const system::net::Address second{"127.0.0.1", nobody->back()};
  spec_.target.address = first;
  spec_.target.other_addresses = {second, there};
  const SliceResult result = run(connect(), slice_of(1000, 0.02));
  EXPECT_EQ(20U, result.ok + result.missed);
  EXPECT_EQ(4U, result.connections_made);
  spec_.target.other_addresses = {second};
  const auto none = session_->connect(spec_);
  ASSERT_FALSE(none);
  EXPECT_NE(std::string::npos, none.error().what.find(to_string(second))) << none.error().what;
}

TEST_P(LoadSessionTest, ASilentServerEndsTheWaitForTheConnectionAtItsLimit) {
  serve([](int) { return Fate::kNever; });
  spec_.target.protocol = wire::Protocol::kHttp2;  // it never sends its SETTINGS
  spec_.connect_limit_s = 0.05;
  const auto pool = session_->connect(spec_);
  ASSERT_FALSE(pool);
  EXPECT_NE(std::string::npos, pool.error().what.find("in time"));
}

TEST_P(LoadSessionTest, WrongSpecsAreUsageErrors) {
  serve([](int) { return Fate::kAnswer; });
  for (const int connections : {0, -1, 65536}) {
    PoolSpec wrong = spec_;
    wrong.connections = connections;
    EXPECT_EQ(ErrorKind::kUsage, session_->connect(wrong).error().kind);
  }
  PoolSpec wrong = spec_;
  wrong.resume = 1.5;
  EXPECT_EQ(ErrorKind::kUsage, session_->connect(wrong).error().kind);
  wrong = spec_;
  wrong.connection_lifetime_s = -1;
  EXPECT_EQ(ErrorKind::kUsage, session_->connect(wrong).error().kind);
  wrong = spec_;
  wrong.requests[0].share = 0;
  EXPECT_EQ(ErrorKind::kUsage, session_->connect(wrong).error().kind);
  wrong.requests.clear();
  EXPECT_EQ(ErrorKind::kUsage, session_->connect(wrong).error().kind);
  const PoolId pool = connect();
  EXPECT_EQ(ErrorKind::kUsage, session_->slice(pool, slice_of(0, 1)).error().kind);
  EXPECT_EQ(ErrorKind::kUsage, session_->slice(pool, slice_of(1, 0)).error().kind);
  EXPECT_EQ(ErrorKind::kInternal, session_->slice(pool + 1, slice_of(1, 1)).error().kind);
  session_->close(pool);
  EXPECT_FALSE(session_->spread(pool, {}));
}

TEST_P(LoadSessionTest, IdentitiesHoldUnderRandomFaults) {
  Random random(3);
  serve([&](int) {
    const std::uint64_t draw = random.below(100);
    if (draw < 2) return Fate::kStall;
    if (draw < 3) return Fate::kNever;
    if (draw < 5) return Fate::kReset;
    if (draw < 7) return Fate::kMidBody;
    if (draw < 9) return Fate::kAnswerClose;
    if (draw < 11) return Fate::kGarbage;
    return draw < 13 ? Fate::kError : Fate::kAnswer;
  });
  spec_.connections = 16;
  const PoolId pool = connect();
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    SliceSpec slice = slice_of(2000, 0.15);
    slice.seed = seed;
    slice.drain_limit_s = 0.05;
    slice.closed_loop = seed == 4;
    const SliceResult result = run(pool, slice);
    if (!slice.closed_loop) {
      EXPECT_EQ(300U, result.scheduled);
    }
    EXPECT_GT(result.ok, 0U);
    EXPECT_GT(result.connection_error + result.timeout + result.unfinished, 0U);
  }
}

}  // namespace
}  // namespace hone::traffic::load
