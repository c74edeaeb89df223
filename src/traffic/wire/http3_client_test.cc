// The client of HTTP/3 against a server that the test scripts, in memory and in simulated time.
#include <gtest/gtest.h>

#include "traffic/wire/http3_network.h"
#include "traffic/wire/http3_scripted_server.h"

namespace hone::traffic::wire {
namespace {

class Http3ClientTest : public testing::Test {
 protected:
  void SetUp() override {
    options_.verify = false;
    auto server = std::make_unique<ScriptedHttp3Server>(
        *QuicContext::server(files_.cert(), files_.key()),
        [this](ScriptedHttp3Connection& connection, std::int64_t stream) {
          script_(connection, stream);
        });
    server_ = server.get();
    net_.server = std::move(server);
  }
  void connect() {
    net_.connect(*QuicContext::client(options_));
    ASSERT_TRUE(net_.run([&] { return net_.client->ready(); }));
    net_.settle(std::chrono::milliseconds(100));
  }
  // Of request 1, while request 2 beside it is answered.
  std::pair<Loss, Failure> loss_of_one() {
    connect();
    net_.submit(1, "/1");
    EXPECT_TRUE(net_.run([&] { return !net_.is_open(1); }));
    EXPECT_TRUE(net_.losses.contains(1));
    script_ = [](auto& connection, auto stream) { connection.answer(stream, "200"); };
    net_.submit(2, "/2");
    EXPECT_TRUE(net_.run([&] { return net_.responses.contains(2); }));
    return net_.losses[1];
  }

  CertificateFiles files_;
  ClientTlsOptions options_;
  ScriptedHttp3Connection::Script script_;
  ScriptedHttp3Server* server_ = nullptr;
  Http3Network net_;
};

// Whatever comes behind a gap is kept.
TEST_F(Http3ClientTest, WhatItKeepsOfAnAnswerOutOfOrderIsBounded) {
  connect();
  const auto* of_client = ngtcp2_conn_get_remote_transport_params(server_->only()->quic());
  EXPECT_EQ(16U << 20, of_client->initial_max_stream_data_bidi_local);
  EXPECT_EQ(64U << 20, of_client->initial_max_data);
}

// The first answer's datagram, with the field that the second one could refer to, is lost.
TEST_F(Http3ClientTest, AnAnswerWaitsForNoOtherOnesFields) {
  script_ = [](auto& connection, auto stream) {
    connection.answer(stream, "200", {{"server", "one that QPACK keeps in its table"}});
  };
  connect();
  bool lost = false;
  net_.fate = [&lost](bool to_server, int) -> std::optional<system::Duration> {
    if (!to_server && !std::exchange(lost, true)) return std::nullopt;
    return std::chrono::microseconds(50);
  };
  net_.submit(1, "/1");
  ASSERT_TRUE(net_.run([&] { return lost; }));
  net_.submit(2, "/2");
  ASSERT_TRUE(net_.run([&] { return net_.responses.contains(2); }));
  EXPECT_FALSE(net_.responses.contains(1));
  EXPECT_TRUE(net_.run([&] { return net_.responses.contains(1); }));
}

TEST_F(Http3ClientTest, AHeadAboveTheLimitLosesItsStreamAlone) {
  script_ = [](auto& connection, auto stream) {
    connection.answer(stream, "200", std::vector<Header>(100, {"x", std::string(3000, 'v')}));
  };
  const auto [loss, failure] = loss_of_one();
  EXPECT_EQ(Loss::kReset, loss);
  EXPECT_EQ(Failure::kHeadTooLarge, failure);
}

TEST_F(Http3ClientTest, EachHeadHasTheLimitForItself) {
  const std::vector<Header> most(80, {"x", std::string(3000, 'v')});  // 240 KB
  script_ = [&most](auto& connection, auto stream) {
    connection.trailers(stream, most);
    connection.answer(stream, "200", most, "body");
  };
  connect();
  net_.submit(1, "/1");
  ASSERT_TRUE(net_.run([&] { return !net_.is_open(1); }));
  EXPECT_EQ(4U, net_.responses[1].body_bytes);
}

TEST_F(Http3ClientTest, TrailersAboveTheLimitLoseTheirStreamAlone) {
  script_ = [](auto& connection, auto stream) {
    connection.trailers(stream, std::vector<Header>(100, {"x", std::string(3000, 'v')}));
    connection.answer(stream, "200", {}, "body");
  };
  const auto [loss, failure] = loss_of_one();
  EXPECT_EQ(Loss::kReset, loss);
  EXPECT_EQ(Failure::kHeadTooLarge, failure);
}

TEST_F(Http3ClientTest, BoundsInformationalResponses) {
  int hints = kMaxInformational;
  script_ = [&hints](auto& connection, auto stream) {
    connection.hint(stream, hints);
    connection.answer(stream, "200");
  };
  connect();
  net_.submit(9, "/9");
  ASSERT_TRUE(net_.run([&] { return net_.responses.contains(9); }));
  EXPECT_EQ(kMaxInformational, net_.responses[9].informational);
  net_.client.reset();
  ++hints;
  net_.address = Http3Network::peer(2);
  const auto [loss, failure] = loss_of_one();
  EXPECT_EQ(Loss::kReset, loss);
  EXPECT_EQ(Failure::kInformationalFlood, failure);
}

TEST_F(Http3ClientTest, AServerThatAgreesToNoProtocolIsNamed) {
  server_->agrees = false;
  net_.connect(*QuicContext::client(options_));
  ASSERT_TRUE(net_.run([&] { return !net_.status; }));
  EXPECT_EQ(Failure::kAlpn, net_.client->failure());
  EXPECT_NE(std::string::npos, net_.status.error().what.find("ALPN")) << net_.status.error().what;
}

TEST_F(Http3ClientTest, ResetsAreToldApart) {
  script_ = [](auto& connection, auto stream) {
    connection.reset(stream, stream == 0 ? NGHTTP3_H3_REQUEST_REJECTED : NGHTTP3_H3_INTERNAL_ERROR);
  };
  connect();
  net_.submit(1, "/1");
  net_.submit(2, "/2");
  ASSERT_TRUE(net_.run([&] { return net_.losses.size() == 2; }));
  EXPECT_EQ(std::pair(Loss::kUnprocessed, Failure::kRefusedStream), net_.losses[1]);
  EXPECT_EQ(std::pair(Loss::kReset, Failure::kStreamReset), net_.losses[2]);
}

}  // namespace
}  // namespace hone::traffic::wire
