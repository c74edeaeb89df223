// What HTTP/3's connections do beyond what end_to_end_test.cc asks of every protocol.
#include "traffic/load/http3_link.h"

#include <gtest/gtest.h>

#include <future>

#include "traffic/load/load_session.h"
#include "traffic/origin/origin_threads.h"
#include "traffic/wire/http3_network.h"

namespace hone::traffic::load {
namespace {

using system::net::LoopThread;

class Http3LinkTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!wire::http3_is_built()) GTEST_SKIP() << "built without HTTP/3";
    thread_ = *LoopThread::start({});
    session_ = make_in_process(thread_.get());
    spec_.target.protocol = wire::Protocol::kHttp3;
    spec_.target.tls = true;
    spec_.target.ca_pem = files_.pair().cert_pem;
    spec_.target.sni = "localhost";
    spec_.requests[0].request.scheme = "https";
    spec_.requests[0].request.authority = "localhost";
    spec_.requests[0].request.path = "/bytes/100";
    spec_.connections = 4;
  }
  void serve(int threads, std::uint16_t port = 0) {
    origin::OriginSpec spec;
    spec.listen = {listen_, port};
    spec.tls_cert = files_.cert();
    spec.tls_key = files_.key();
    spec.http3 = true;
    auto started = origin::OriginThreads::start(spec, threads);
    ASSERT_TRUE(started) << describe(started.error());
    origin_ = *std::move(started);
    spec_.target.address = {"127.0.0.1", origin_->port()};
  }
  SliceResult run(PoolId pool, double rate, double duration_s) {
    SliceSpec slice;
    slice.rate = rate;
    slice.duration_s = duration_s;
    const auto result = session_->slice(pool, slice);
    EXPECT_TRUE(result) << describe(result.error());
    return result ? *result : SliceResult();
  }

  wire::CertificateFiles files_;
  std::string listen_ = "127.0.0.1";
  std::unique_ptr<origin::OriginThreads> origin_;
  std::unique_ptr<LoopThread> thread_;
  std::unique_ptr<LoadSession> session_;
  PoolSpec spec_;
};

TEST_F(Http3LinkTest, ConnectionsStayOnTheirThreadsOfTheOrigin) {
  serve(2);
  spec_.connections = 32;
  const auto pool = session_->connect(spec_);
  ASSERT_TRUE(pool) << describe(pool.error());
  const SliceResult result = run(*pool, 3200, 0.2);
  EXPECT_EQ(result.sent, result.ok);
  EXPECT_EQ(20U, result.per_connection_min);
  EXPECT_EQ(20U, result.per_connection_max);
  EXPECT_EQ(32U, result.connections_made);
  const auto counters = origin_->counters();
  EXPECT_EQ(32U, counters.connections);
  EXPECT_EQ(result.ok, counters.responses);
  EXPECT_EQ(0U, counters.protocol_errors);
  EXPECT_EQ(result.ok - 32, counters.arrival_gaps.count());
}

TEST_F(Http3LinkTest, LaterConnectionsAreResumed) {
  serve(1);
  spec_.requests_per_connection = 2;
  const SliceResult result = run(*session_->connect(spec_), 400, 0.2);
  EXPECT_EQ(result.sent, result.ok);
  EXPECT_GT(result.handshakes_resumed, result.handshakes_full);
}

TEST_F(Http3LinkTest, ConnectionsThatHadTheirRequestsAreMadeAgainAndNothingIsLost) {
  serve(1);
  spec_.requests_per_connection = 5;
  const SliceResult result = run(*session_->connect(spec_), 1000, 0.2);
  EXPECT_EQ(200U, result.ok + result.missed);
  EXPECT_TRUE(result.failures.empty());
  EXPECT_TRUE(result.connection_failures.empty());
  EXPECT_GE(result.connections_made, result.ok / 5);
  EXPECT_LE(result.connections_made, 200 / 5 + 8U);  // the first of each connection had fewer
  EXPECT_EQ(result.connections_made, result.connecting.count());
}

// More goodbyes than the origin writes in one event.
TEST_F(Http3LinkTest, AnOriginThatEndsSaysGoodbyeToEveryConnection) {
  serve(1);
  spec_.connections = 150;
  const auto pool = session_->connect(spec_);
  ASSERT_TRUE(pool) << describe(pool.error());
  EXPECT_EQ(150, session_->spread(*pool, {})->connections);
  origin_.reset();
  for (int i = 0; i < 200 && session_->spread(*pool, {})->connections > 0; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_EQ(0, session_->spread(*pool, {})->connections);
}

TEST_F(Http3LinkTest, AHandshakeThatFailsIsAProtocolErrorAtTheOrigin) {
  serve(1);
  spec_.connections = 1;
  spec_.target.ca_pem.clear();  // the system's do not know it
  EXPECT_FALSE(session_->connect(spec_));
  for (int i = 0; i < 200 && origin_->counters().protocol_errors == 0; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  const auto counters = origin_->counters();
  EXPECT_GE(counters.protocol_errors, 1U);
  EXPECT_EQ(0U, counters.connections);
}

TEST_F(Http3LinkTest, AnOriginOnAllAddressesAnswersFromTheOneThatWasAsked) {
  listen_ = "0.0.0.0";
  serve(1);
  spec_.target.address.host = "127.0.0.2";
  const auto pool = session_->connect(spec_);
  ASSERT_TRUE(pool) << describe(pool.error());
  const SliceResult result = run(*pool, 1000, 0.1);
  EXPECT_EQ(100U, result.ok + result.missed);
}

TEST_F(Http3LinkTest, AServerThatIsNotThereIsRefused) {
  spec_.target.address = {"127.0.0.1", system::net::free_ports(1)->front()};
  const auto pool = session_->connect(spec_);
  ASSERT_FALSE(pool);
  EXPECT_EQ(ErrorKind::kNetwork, pool.error().kind);
  EXPECT_NE(std::string::npos, pool.error().what.find("refused")) << pool.error().what;
}

TEST_F(Http3LinkTest, ASilentServerEndsTheWaitAtItsLimit) {
  const auto silent = *system::net::bind_datagrams({"127.0.0.1", 0});
  spec_.target.address = {"127.0.0.1", system::net::local_port(silent)};
  spec_.connect_limit_s = 0.05;
  const auto pool = session_->connect(spec_);
  ASSERT_FALSE(pool);
  EXPECT_NE(std::string::npos, pool.error().what.find("in time")) << pool.error().what;
}

TEST_F(Http3LinkTest, AServerThatEndsLosesItsRequestsAndIsFoundAgain) {
  serve(1);
  const std::uint16_t port = origin_->port();
  const auto pool = session_->connect(spec_);
  ASSERT_TRUE(pool) << describe(pool.error());
  run(*pool, 500, 0.05);
  auto outcome = std::async(std::launch::async, [&] { return run(*pool, 500, 0.4); });
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  origin_.reset();
  serve(1, port);
  const SliceResult result = outcome.get();
  EXPECT_GT(result.ok, 40U);
  EXPECT_GE(result.connections_made, 4U);
  EXPECT_EQ(result.sent, result.ok + result.connection_error + result.timeout + result.reset);
  // Back to the full rate by then.
  const SliceResult next = run(*pool, 500, 0.1);
  EXPECT_EQ(next.sent, next.ok);
}

TEST_F(Http3LinkTest, ClearTextAndUnixSocketsAreRefused) {
  spec_.target.address = {"127.0.0.1", 1};
  spec_.target.tls = false;
  EXPECT_EQ(ErrorKind::kUsage, session_->connect(spec_).error().kind);
  spec_.target.tls = true;
  spec_.target.address = {"unix:/tmp/x", 0};
  EXPECT_FALSE(session_->connect(spec_));
  origin::OriginSpec clear;
  clear.http3 = true;
  EXPECT_EQ(ErrorKind::kUsage, origin::OriginThreads::start(clear, 1).error().kind);
}

}  // namespace
}  // namespace hone::traffic::load
