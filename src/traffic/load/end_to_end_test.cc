// Load and origin on one thread and one loop, over every protocol both speak: what one sends the
// other must have counted.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>

#include "traffic/load/load_session.h"
#include "traffic/origin/origin.h"
#include "traffic/wire/http3.h"
#include "traffic/wire/tls.h"

namespace hone::traffic::load {
namespace {

using system::net::LoopThread;
using wire::Protocol;

struct Case {
  Protocol protocol;
  bool tls;
};

std::string name_of(const testing::TestParamInfo<Case>& info) {
  return std::string(wire::name(info.param.protocol)) + (info.param.tls ? "_tls" : "");
}

class EndToEndTest : public testing::TestWithParam<Case> {
 protected:
  void SetUp() override {
    const bool http3 = GetParam().protocol == Protocol::kHttp3;
    if (http3 && !wire::http3_is_built()) GTEST_SKIP() << "built without HTTP/3";
    char folder[] = "/tmp/hone-load-XXXXXX";
    folder_ = ::mkdtemp(folder);
    const auto pair = wire::make_self_signed_certificate();
    ASSERT_TRUE(pair);
    std::ofstream(folder_ / "cert.pem") << pair->cert_pem;
    std::ofstream(folder_ / "key.pem") << pair->key_pem;

    thread_ = *LoopThread::start({});
    origin::OriginSpec spec;
    if (GetParam().tls) {
      spec.tls_cert = folder_ / "cert.pem";
      spec.tls_key = folder_ / "key.pem";
    }
    spec.http3 = http3;
    thread_->call([&] { origin_ = *origin::Origin::listen(&thread_->loop(), spec); });
    session_ = make_in_process(thread_.get());
    pool_.target.protocol = GetParam().protocol;
    pool_.target.tls = GetParam().tls;
    pool_.target.ca_pem = pair->cert_pem;
    pool_.target.sni = "localhost";
    pool_.target.address = {"127.0.0.1", origin_->port()};
    pool_.requests[0].request.scheme = GetParam().tls ? "https" : "http";
    pool_.requests[0].request.authority = "localhost";
    pool_.connections = 5;
  }
  void TearDown() override {
    session_.reset();
    if (thread_) thread_->call([&] { origin_.reset(); });
    if (!folder_.empty()) std::filesystem::remove_all(folder_);
  }
  origin::OriginCounters counters() {
    origin::OriginCounters result;
    thread_->call([&] { result = origin_->counters(); });
    return result;
  }
  static SliceSpec slice_of(double rate, double duration_s) {
    SliceSpec slice;
    slice.rate = rate;
    slice.duration_s = duration_s;
    return slice;
  }
  PoolId connect(const std::string& path) {
    pool_.requests[0].request.path = path;
    const auto pool = session_->connect(pool_);
    EXPECT_TRUE(pool) << describe(pool.error());
    return pool.value_or(-1);
  }
  SliceResult run(PoolId pool, const SliceSpec& slice) {
    const auto result = session_->slice(pool, slice);
    EXPECT_TRUE(result) << describe(result.error());
    return result ? *result : SliceResult();
  }

  std::filesystem::path folder_;
  std::unique_ptr<LoopThread> thread_;
  std::unique_ptr<origin::Origin> origin_;
  std::unique_ptr<LoadSession> session_;
  PoolSpec pool_;
};

TEST_P(EndToEndTest, BothSidesCountTheSame) {
  const PoolId pool = connect("/bytes/4096");
  const SliceResult result = run(pool, slice_of(1000, 0.2));
  EXPECT_EQ(200U, result.scheduled);
  EXPECT_EQ(result.sent, result.ok);
  EXPECT_EQ(result.ok * 4096, result.body_bytes);
  EXPECT_EQ(40U, result.per_connection_min);
  EXPECT_EQ(40U, result.per_connection_max);
  EXPECT_EQ(5U, result.connections_made);
  EXPECT_EQ(GetParam().tls ? 5U : 0U, result.handshakes_full + result.handshakes_resumed);
  const auto seen = counters();
  EXPECT_EQ(result.sent, seen.requests);
  EXPECT_EQ(5U, seen.connections);
  EXPECT_EQ(5U, seen.open_connections);
}

TEST_P(EndToEndTest, WhatIsScheduledForTwoConnectionsDiffersByOneAtMost) {
  for (const int connections : {1, 2, 3, 16, 100, 256}) {
    pool_.connections = connections;
    const PoolId pool = connect("/bytes/10");
    std::uint64_t scheduled = 0;
    for (const double rate : {1010.0, 2990.0}) {  // neither is a multiple of any of them
      const SliceResult result = run(pool, slice_of(rate, 0.1));
      scheduled += result.scheduled;
      EXPECT_LE(result.per_connection_max - result.per_connection_min, 1U) << connections;
      EXPECT_EQ(result.per_connection_min, scheduled / static_cast<std::uint64_t>(connections));
    }
    session_->close(pool);
  }
}

TEST_P(EndToEndTest, ABurstAcrossAllConnectionsArrivesWhole) {
  SliceSpec slice = slice_of(3200, 0.1);
  slice.arrivals = {Arrivals::Kind::kBurst, 32};
  const SliceResult result = run(connect("/bytes/100"), slice);
  EXPECT_EQ(320U, result.scheduled);
  EXPECT_EQ(result.sent, result.ok);
  if (GetParam().protocol == Protocol::kHttp1) {
    EXPECT_GT(result.blocked, 0U);  // more than connections: the rest of a burst waits its turn
  } else {
    EXPECT_EQ(0U, result.blocked);
  }
}

TEST_P(EndToEndTest, AnswersLargerThanOneReadAndBodiesUp) {
  pool_.requests[0].request.method = "POST";
  pool_.requests[0].request.body.assign(200'000, 'b');
  const SliceResult result = run(connect("/echo"), slice_of(50, 0.1));
  EXPECT_EQ(5U, result.ok + result.missed);
  EXPECT_EQ(result.ok * 200'000, result.body_bytes);
}

TEST_P(EndToEndTest, EveryFramingIsUnderstoodAndErrorsAreStatuses) {
  for (const char* path : {"/chunked/5000/trailers", "/early-hints/2", "/headers/20/100"}) {
    const PoolId pool = connect(path);
    const SliceResult result = run(pool, slice_of(500, 0.02));
    EXPECT_EQ(10U, result.ok + result.missed) << path;
    EXPECT_EQ(result.sent, result.ok) << path;
    session_->close(pool);
  }
  const SliceResult failing = run(connect("/status/503"), slice_of(500, 0.02));
  EXPECT_EQ(failing.sent, failing.bad_status);
  EXPECT_EQ(failing.sent, failing.status.at("503"));
}

TEST_P(EndToEndTest, BodiesThatEndTheConnectionAreWholeAndItIsMadeAgain) {
  const SliceResult result = run(connect("/close/1000"), slice_of(200, 0.1));
  EXPECT_EQ(20U, result.ok + result.missed);
  EXPECT_EQ(result.ok * 1000, result.body_bytes);
  EXPECT_GT(result.connections_made, 5U);
}

TEST_P(EndToEndTest, ASlowAnswerBlocksAnHttp1ConnectionAndNoHttp2One) {
  pool_.connections = 1;
  const SliceResult result = run(connect("/delay/20/bytes/10"), slice_of(200, 0.1));
  EXPECT_EQ(20U, result.ok + result.missed);
  EXPECT_GE(result.latency.quantile_ns(0.1), 19'000'000);
  if (GetParam().protocol == Protocol::kHttp1) {
    EXPECT_GE(result.latency.max_ns(), 150'000'000);
    EXPECT_GT(result.blocked + result.missed, 15U);
  } else {
    EXPECT_EQ(0U, result.blocked);
  }
}

TEST_P(EndToEndTest, RequestsPerConnectionHolds) {
  pool_.requests_per_connection = 4;
  const SliceResult result = run(connect("/bytes/10"), slice_of(500, 0.1));
  EXPECT_EQ(50U, result.ok + result.missed);
  EXPECT_GE(result.connections_made, result.ok / 4);
  EXPECT_EQ(0U, result.connection_error);
  if (GetParam().tls) {
    // The slice may end while the connections that follow the last ones are still shaking hands.
    const auto handshakes = result.handshakes_full + result.handshakes_resumed;
    EXPECT_LE(handshakes, result.connections_made);
    EXPECT_GE(handshakes + static_cast<std::uint64_t>(pool_.connections), result.connections_made);
  }
}

TEST_P(EndToEndTest, AMixSendsEachOfItsRequestsInItsShare) {
  const auto request = [&](const char* method, const char* path, std::size_t body_bytes) {
    wire::Request made = pool_.requests[0].request;
    made.method = method;
    made.path = path;
    made.body.assign(body_bytes, 'b');
    return made;
  };
  pool_.requests = {{request("GET", "/bytes/1000", 0), 2, ""},
                    {request("HEAD", "/bytes/1000", 0), 1, ""},
                    {request("POST", "/echo", 300), 1, "upload"},
                    {request("GET", "/status/404", 0), 1, ""}};
  const auto pool = session_->connect(pool_);
  ASSERT_TRUE(pool);
  const SliceResult result = run(*pool, slice_of(2000, 0.2));
  ASSERT_EQ(4U, result.requests.size());
  EXPECT_EQ("HEAD /bytes/1000", result.requests[1].name);
  EXPECT_EQ("upload", result.requests[2].name);
  EXPECT_DOUBLE_EQ(0.4, result.requests[0].share);
  std::uint64_t sent = 0, ok = 0;
  for (const RequestCounts& counts : result.requests) sent += counts.sent, ok += counts.ok;
  EXPECT_EQ(result.sent, sent);
  EXPECT_EQ(result.ok, ok);
  EXPECT_EQ(result.requests[3].sent, result.bad_status);
  EXPECT_EQ(0U, result.requests[3].ok);
  // A HEAD's answer has none, whatever length it names.
  EXPECT_EQ(result.requests[0].ok * 1000 + result.requests[2].ok * 300, result.body_bytes);
  // Five deviations of 400 draws at 2 of 5; what was missed may be any of them.
  EXPECT_NEAR(160, static_cast<double>(result.requests[0].sent),
              50 + static_cast<double>(result.missed));
}

INSTANTIATE_TEST_SUITE_P(Protocols, EndToEndTest,
                         testing::Values(Case{Protocol::kHttp1, false},
                                         Case{Protocol::kHttp2, false},
                                         Case{Protocol::kHttp1, true}, Case{Protocol::kHttp2, true},
                                         Case{Protocol::kHttp3, true}),
                         name_of);

using TlsTest = EndToEndTest;

TEST_P(TlsTest, TheShareOfResumedHandshakesIsAsAsked) {
  pool_.requests_per_connection = 1;
  for (const double share : {0.0, 0.5, 1.0}) {
    pool_.resume = share;
    const PoolId pool = connect("/bytes/10");
    SliceResult result = run(pool, slice_of(300, 0.5));
    session_->close(pool);
    EXPECT_EQ(0U, result.connection_error);
    // Some are still shaking hands when the slice ends.
    EXPECT_NEAR(static_cast<double>(result.connections_made),
                static_cast<double>(result.handshakes_full + result.handshakes_resumed), 5);
    EXPECT_EQ(result.handshakes_offered, result.handshakes_resumed);
    // Each of the five connections may begin anew once before there is a ticket. Five deviations.
    const auto shaken = static_cast<double>(result.handshakes_full + result.handshakes_resumed);
    EXPECT_NEAR(share * shaken, static_cast<double>(result.handshakes_resumed),
                5 * std::sqrt(shaken * share * (1 - share)) + 10)
        << share;
  }
}

TEST_P(TlsTest, AnUnknownCertificateIsAnErrorWithTheLibrarysReason) {
  pool_.target.ca_pem.clear();  // the system's do not know a certificate made a moment ago
  const auto pool = session_->connect(pool_);
  ASSERT_FALSE(pool);
  EXPECT_EQ(ErrorKind::kNetwork, pool.error().kind);
  EXPECT_NE(std::string::npos, pool.error().what.find("certificate")) << pool.error().what;
}

using GrpcTest = EndToEndTest;

TEST_P(GrpcTest, CallsAreAnsweredAndCountedByTheirStatus) {
  const auto call = [&](const char* path, std::size_t bytes) {
    wire::Request made = pool_.requests[0].request;
    made.path = path;
    made.body.assign(bytes, 'm');
    return made;
  };
  pool_.requests = {{call("/grpc/test.Echo/Say", 1000), 2, "echo"},
                    {call("/grpc/test.Echo/Say", 0), 1, "empty"},
                    {call("/grpc/status/14", 10), 1, "fails"},
                    {call("/status/503", 10), 1, "no gRPC"}};
  const auto pool = session_->connect(pool_);
  ASSERT_TRUE(pool) << describe(pool.error());
  const SliceResult result = run(*pool, slice_of(1000, 0.2));
  ASSERT_EQ(4U, result.requests.size());
  EXPECT_EQ(200U, result.sent + result.missed);
  EXPECT_EQ(result.sent, result.ok + result.bad_status);
  EXPECT_EQ(result.requests[0].sent, result.requests[0].ok);
  EXPECT_EQ(result.requests[1].sent, result.requests[1].ok);
  EXPECT_EQ(0U, result.requests[2].ok + result.requests[3].ok);
  EXPECT_EQ((std::map<std::string, std::uint64_t>{{"grpc-0", result.ok},
                                                  {"grpc-14", result.requests[2].sent},
                                                  {"503", result.requests[3].sent}}),
            result.status);
  EXPECT_EQ(result.requests[0].sent * 1005 + result.requests[1].sent * 5, result.body_bytes);
}

INSTANTIATE_TEST_SUITE_P(Grpc, GrpcTest,
                         testing::Values(Case{Protocol::kGrpc, false}, Case{Protocol::kGrpc, true}),
                         name_of);

INSTANTIATE_TEST_SUITE_P(Tls, TlsTest,
                         testing::Values(Case{Protocol::kHttp1, true}, Case{Protocol::kHttp2, true},
                                         Case{Protocol::kHttp3, true}),
                         name_of);

}  // namespace
}  // namespace hone::traffic::load
