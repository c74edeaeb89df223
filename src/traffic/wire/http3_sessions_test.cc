// Client and server of HTTP/3 against each other, in memory and in simulated time.
#include <gtest/gtest.h>
#include <ngtcp2/ngtcp2_crypto.h>

#include <optional>

#include "base/random.h"
#include "traffic/wire/http3_connection.h"
#include "traffic/wire/http3_network.h"

namespace hone::traffic::wire {
namespace {

using system::Duration;

class Http3SessionsTest : public testing::Test {
 protected:
  static void SetUpTestSuite() { files_ = new CertificateFiles; }
  static void TearDownTestSuite() {
    delete files_;
    files_ = nullptr;
  }
  void SetUp() override {
    options_.ca_pem = files_->pair().cert_pem;
    options_.sni = "localhost";
    server_context_ = *QuicContext::server(files_->cert(), files_->key(), std::string(80, 'k'));
    client_context_ = *QuicContext::client(options_);
    net_.serve(server_context_);
    net_.answer = [](const RequestView& request) {
      Reply reply;
      reply.body_length = 1000;
      if (request.path == "/later") reply.status = 0;
      return reply;
    };
  }
  void connect(int streams = 100) {
    net_.connect(client_context_, streams);
    ASSERT_TRUE(net_.run([&] { return net_.client->ready(); })) << why();
  }
  // A new connection of the same client.
  void reconnect() {
    net_.client->close();
    net_.collect();
    net_.client.reset();
    net_.settle(std::chrono::seconds(1));
    connect();
  }
  bool wait_for(std::size_t responses) {
    return net_.run([&] { return net_.responses.size() >= responses; });
  }
  std::string why() { return net_.status ? "nothing happens" : net_.status.error().what; }

  static CertificateFiles* files_;
  ClientTlsOptions options_;
  std::shared_ptr<QuicContext> server_context_, client_context_;
  Http3Network net_;
};
CertificateFiles* Http3SessionsTest::files_ = nullptr;

TEST_F(Http3SessionsTest, ARequestIsAnswered) {
  connect();
  EXPECT_FALSE(net_.client->resumed());
  EXPECT_EQ(100, net_.client->free_slots());
  net_.submit(7, "/bytes/1000");
  EXPECT_EQ(99, net_.client->free_slots());
  ASSERT_TRUE(wait_for(1)) << why();
  EXPECT_EQ(200, net_.responses[7].status);
  EXPECT_EQ(1000U, net_.responses[7].body_bytes);
  EXPECT_EQ(std::vector<std::string>{"GET /bytes/1000 0"}, net_.requests);
  EXPECT_EQ(100, net_.client->free_slots());
  EXPECT_EQ(1, net_.connected);
}

TEST_F(Http3SessionsTest, BodiesOfAnySizeGoBothWays) {
  connect();
  for (const std::size_t size : {1, 1000, 16'000, 300'000, 5'000'000}) {
    net_.answer = [&](const RequestView& request) {
      Reply reply;
      reply.body_length = request.body.size();
      return reply;
    };
    net_.submit(size, "/echo", "POST", std::string(size, 'b'));
    ASSERT_TRUE(net_.run([&] { return net_.responses.contains(size); })) << size << why();
    EXPECT_EQ(size, net_.responses[size].body_bytes);
    EXPECT_EQ("POST /echo " + std::to_string(size), net_.requests.back());
  }
  EXPECT_FALSE(net_.client->window_blocked());
}

TEST_F(Http3SessionsTest, AnAnswerLargerThanTheWindowOfItsStreamIsWhole) {
  net_.answer = [](const RequestView&) {
    Reply reply;
    reply.body_length = 20 << 20;
    return reply;
  };
  connect();
  net_.submit(1, "/large");
  ASSERT_TRUE(wait_for(1)) << why();
  EXPECT_EQ(20U << 20, net_.responses[1].body_bytes);
}

TEST_F(Http3SessionsTest, EveryFormOfAnAnswerIsUnderstood) {
  connect();
  Reply reply;
  net_.answer = [&](const RequestView&) { return reply; };
  const auto ask = [&](std::uint64_t id, const std::string& method) {
    net_.submit(id, "/", method);
    EXPECT_TRUE(net_.run([&] { return net_.responses.contains(id); })) << id << why();
    return net_.responses[id];
  };
  reply.body_length = 500;
  EXPECT_EQ(0U, ask(1, "HEAD").body_bytes);
  reply.status = 204;
  EXPECT_EQ(204, ask(2, "GET").status);
  EXPECT_EQ(0U, net_.responses[2].body_bytes);
  reply.status = 503;
  reply.early_hints = 3;
  EXPECT_EQ(503, ask(3, "GET").status);
  EXPECT_EQ(3, net_.responses[3].informational);
  reply.framing = Framing::kChunked;
  reply.trailers = {{"x-end", "yes"}};
  EXPECT_EQ(500U, ask(4, "GET").body_bytes);
  reply.body = "text";
  EXPECT_EQ(4U, ask(5, "GET").body_bytes);
  reply = Reply();
  for (int i = 0; i < 20; ++i) reply.headers.push_back({"x-" + std::to_string(i), "value"});
  EXPECT_EQ(200, ask(6, "GET").status);
  EXPECT_TRUE(net_.losses.empty());
}

TEST_F(Http3SessionsTest, StreamsAreReusedUpToTheLimits) {
  connect(1000);
  EXPECT_EQ(256, net_.client->free_slots());  // the server's
  std::uint64_t id = 0;
  for (int round = 1; round <= 5; ++round) {
    while (net_.client->free_slots() > 0) net_.submit(id++, "/");
    EXPECT_GE(id, static_cast<std::uint64_t>(round) * 250);
    ASSERT_TRUE(wait_for(id)) << why();
    net_.settle(std::chrono::milliseconds(100));
  }
  EXPECT_TRUE(net_.losses.empty());
}

TEST_F(Http3SessionsTest, LossAndReorderingCostTimeAndNothingElse) {
  Random random(11);
  net_.fate = [&](bool, int) -> std::optional<Duration> {
    if (random.below(100) < 10) return std::nullopt;
    return std::chrono::microseconds(50 + random.below(2000));
  };
  connect();
  for (std::uint64_t id = 0; id < 60; ++id) net_.submit(id, "/", "POST", std::string(20'000, 'u'));
  ASSERT_TRUE(wait_for(60)) << why() << net_.responses.size();
  EXPECT_EQ(60U, net_.requests.size());
  EXPECT_TRUE(net_.losses.empty());
}

TEST_F(Http3SessionsTest, TheNextConnectionIsResumed) {
  connect();
  net_.settle(std::chrono::milliseconds(100));  // the ticket comes after the handshake
  reconnect();
  EXPECT_TRUE(net_.client->resumed());
  net_.submit(1, "/");
  EXPECT_TRUE(wait_for(1)) << why();
}

TEST_F(Http3SessionsTest, AnotherThreadsServerResumesToo) {
  connect();
  net_.settle(std::chrono::milliseconds(100));
  net_.serve(*QuicContext::server(files_->cert(), files_->key(), std::string(80, 'k')));
  net_.connect(client_context_);
  ASSERT_TRUE(net_.run([&] { return net_.client->ready(); })) << why();
  EXPECT_TRUE(net_.client->resumed());
}

TEST_F(Http3SessionsTest, WithoutATicketItIsNotResumed) {
  options_.resume = false;
  client_context_ = *QuicContext::client(options_);
  connect();
  net_.settle(std::chrono::milliseconds(100));
  reconnect();
  EXPECT_FALSE(net_.client->resumed());
}

TEST_F(Http3SessionsTest, CertificatesAreVerifiedUnlessToldNotTo) {
  const auto outcome = [&](const ClientTlsOptions& options) {
    net_.serve(server_context_);
    net_.status = {};
    net_.connect(*QuicContext::client(options));
    net_.run([&] { return net_.client->ready() || !net_.status; });
    return net_.status ? "" : net_.status.error().what;
  };
  EXPECT_EQ("", outcome(options_));
  ClientTlsOptions other = options_;
  for (const char* address : {"127.0.0.1", "::1", "[::1]"}) {
    other.sni = address;
    EXPECT_EQ("", outcome(other)) << address;
  }
  other.sni = "example.org";
  EXPECT_NE(std::string::npos, outcome(other).find("'example.org'")) << outcome(other);
  EXPECT_EQ(Failure::kTls, net_.client->failure());
  other = options_;
  other.ca_pem.clear();  // the system's do not know it
  EXPECT_NE("", outcome(other));
  other.verify = false;
  EXPECT_EQ("", outcome(other));
}

TEST_F(Http3SessionsTest, AServerHearsOfAHandshakeThatFailedButNotOfSilence) {
  options_.ca_pem.clear();
  net_.connect(*QuicContext::client(options_));
  net_.fate = [](bool to_server, int) -> std::optional<Duration> {
    if (!to_server) return std::nullopt;
    return Duration::zero();
  };
  net_.settle(std::chrono::minutes(10));
  EXPECT_EQ(0, net_.handshakes_failed);
  net_.status = {};
  net_.fate = [](bool, int) { return Duration::zero(); };
  net_.connect(*QuicContext::client(options_));
  net_.run([&] { return net_.handshakes_failed > 0; });
  EXPECT_EQ(1, net_.handshakes_failed);
  EXPECT_FALSE(net_.status);
  EXPECT_EQ(0, net_.connected + net_.disconnected + net_.broken);
}

TEST_F(Http3SessionsTest, WrongFilesAreUsageErrors) {
  options_.ca_pem = files_->pair().key_pem;
  EXPECT_EQ(ErrorKind::kUsage, QuicContext::client(options_).error().kind);
  options_.ca_pem = files_->pair().cert_pem;
  options_.sni.clear();  // and it is to be verified
  EXPECT_EQ(ErrorKind::kUsage, QuicContext::client(options_).error().kind);
  options_.verify = false;
  EXPECT_TRUE(QuicContext::client(options_));
  EXPECT_EQ(ErrorKind::kUsage, QuicContext::server(files_->cert(), "/nothing.key").error().kind);
}

TEST_F(Http3SessionsTest, AnAnswerThatClosesIsFollowedByGoawayAndTheEnd) {
  net_.answer = [](const RequestView&) {
    Reply reply;
    reply.framing = Framing::kClose;
    reply.body_length = 100'000;
    return reply;
  };
  connect();
  net_.submit(1, "/close/100000");
  ASSERT_TRUE(net_.run([&] { return net_.client->closing(); })) << why();
  EXPECT_EQ(100'000U, net_.responses[1].body_bytes);
  EXPECT_EQ(0, net_.client->free_slots());
  EXPECT_EQ(Failure::kGoaway, net_.client->failure());
  EXPECT_TRUE(net_.run([&] { return net_.disconnected == 1; }));
}

TEST_F(Http3SessionsTest, WhatCrossesAGoawayIsUnprocessed) {
  net_.answer = [](const RequestView& request) {
    Reply reply;
    reply.close = request.path == "/close";
    return reply;
  };
  connect();
  net_.submit(1, "/close");
  ASSERT_TRUE(wait_for(1)) << why();
  // The client acknowledges within 25 ms, and the GOAWAY that follows is 40 ms on its way.
  net_.fate = [](bool to_server, int) -> std::optional<Duration> {
    return std::chrono::milliseconds(to_server ? 0 : 40);
  };
  net_.settle(std::chrono::milliseconds(30));
  ASSERT_FALSE(net_.client->closing());
  net_.submit(2, "/crossing");
  ASSERT_TRUE(net_.run([&] { return net_.losses.contains(2); })) << why();
  EXPECT_EQ(Loss::kUnprocessed, net_.losses[2].first);
  EXPECT_EQ(Failure::kGoaway, net_.losses[2].second);
  EXPECT_EQ(1U, net_.requests.size());
}

TEST_F(Http3SessionsTest, AnUploadAboveTheLimitIsReset) {
  net_.serve(server_context_, 10'000);
  connect();
  net_.submit(1, "/", "POST", std::string(100'000, 'b'));
  net_.submit(2, "/", "POST", std::string(10'000, 'b'));
  ASSERT_TRUE(net_.run([&] { return net_.losses.size() + net_.responses.size() == 2; })) << why();
  EXPECT_EQ(Loss::kReset, net_.losses[1].first);
  EXPECT_EQ(Failure::kStreamReset, net_.losses[1].second);
  EXPECT_EQ(200, net_.responses[2].status);
}

TEST_F(Http3SessionsTest, AnUploadThatIsNotKeptIsCountedWhateverItsSize) {
  net_.serve(server_context_, 1000);
  net_.keeps = false;
  connect();
  net_.submit(1, "/up", "POST", std::string(300'000, 'b'));
  ASSERT_TRUE(wait_for(1)) << why();
  EXPECT_EQ(200, net_.responses[1].status);
  EXPECT_EQ(std::vector<std::string>{"POST /up 0"}, net_.requests);
  EXPECT_EQ(300'000U, net_.body_bytes);
}

// One more than what a connection may have here at once, and none of them ends.
TEST_F(Http3SessionsTest, UploadsAtOnceAreBounded) {
  net_.serve(server_context_, 100'000);
  connect();
  for (std::uint64_t id = 1; id <= 5; ++id) {
    net_.submit(id, "/later", "POST", std::string(100'000, 'b'));
  }
  ASSERT_TRUE(net_.run([&] { return net_.losses.size() + net_.requests.size() == 5; })) << why();
  EXPECT_GE(net_.losses.size(), 1U);
  EXPECT_LE(net_.requests.size(), 4U);
  EXPECT_EQ(0U, net_.responses.size());
}

TEST_F(Http3SessionsTest, ARestingConnectionStaysUp) {
  connect();
  EXPECT_FALSE(net_.settle(std::chrono::hours(2)));
  ASSERT_TRUE(net_.status);
  net_.submit(1, "/");
  EXPECT_TRUE(wait_for(1)) << why();
  // Kept alive, not kept busy: an idle timeout of 5 minutes takes a few packets in each.
  EXPECT_LT(net_.sent[1], 200);
}

TEST_F(Http3SessionsTest, APeerThatIsGoneIsFoundOut) {
  connect();
  net_.fate = [](bool, int) -> std::optional<Duration> { return std::nullopt; };
  net_.submit(1, "/");
  EXPECT_TRUE(net_.run([&] { return !net_.status; }, std::chrono::hours(1)));
  EXPECT_EQ(Loss::kConnection, net_.losses[1].first);
  EXPECT_NE(std::string::npos, why().find("idle timeout"));
}

TEST_F(Http3SessionsTest, AServerThatHasForgottenTheConnectionResetsIt) {
  connect();
  net_.settle(std::chrono::milliseconds(100));
  net_.serve(server_context_);  // one that knows of nothing
  net_.submit(1, "/");
  ASSERT_TRUE(net_.run([&] { return !net_.status; }));
  EXPECT_EQ(Failure::kConnectionReset, net_.losses[1].second);
  EXPECT_NE(std::string::npos, why().find("stateless reset"));
}

TEST_F(Http3SessionsTest, GoodbyeEndsTheServersSideAndItsRequests) {
  connect();
  net_.submit(1, "/later");
  ASSERT_TRUE(net_.run([&] { return net_.requests.size() == 1; }));
  net_.client->close();
  net_.collect();
  net_.client.reset();
  EXPECT_TRUE(net_.run([&] { return net_.disconnected == 1; }));
  EXPECT_EQ(1, net_.requests_lost);
  EXPECT_FALSE(net_.server->respond(net_.last_request.first, net_.last_request.second, {}));
  EXPECT_EQ(0, net_.broken);
}

TEST_F(Http3SessionsTest, AnAnswerMayComeLater) {
  connect();
  net_.submit(1, "/later");
  ASSERT_TRUE(net_.run([&] { return net_.requests.size() == 1; }));
  net_.settle(std::chrono::seconds(1));
  EXPECT_TRUE(net_.responses.empty());
  const auto [connection, stream] = net_.last_request;
  EXPECT_TRUE(net_.server->respond(connection, stream, {}));
  EXPECT_FALSE(net_.server->respond(connection, stream, {}));  // answered
  EXPECT_FALSE(net_.server->respond(connection + 1, stream, {}));
  EXPECT_TRUE(wait_for(1)) << why();
}

TEST_F(Http3SessionsTest, AServerThatClosesEndsItsConnections) {
  connect();
  net_.submit(1, "/later");
  ASSERT_TRUE(net_.run([&] { return net_.requests.size() == 1; }));
  net_.server->close();
  ASSERT_TRUE(net_.run([&] { return !net_.status; }));
  EXPECT_NE(std::string::npos, why().find("H3_NO_ERROR")) << why();
  EXPECT_EQ(Failure::kClosedBeforeAnswer, net_.losses[1].second);
}

TEST_F(Http3SessionsTest, ADatagramFromElsewhereDoesNotCount) {
  connect();
  net_.address = Http3Network::peer(2);
  net_.submit(1, "/");
  EXPECT_FALSE(net_.run([&] { return !net_.requests.empty(); }, std::chrono::seconds(5)));
}

// The first packet of a client, taken off the network.
std::string first_packet(Http3Network* net) {
  net->collect();
  const std::string packet = net->on_the_way.front().bytes;
  net->on_the_way.clear();
  return packet;
}

TEST_F(Http3SessionsTest, AnUnknownVersionIsAnsweredWithTheOnesThereAre) {
  net_.connect(client_context_);
  std::string packet = first_packet(&net_);
  packet.replace(1, 4, "\x1a\x2a\x3a\x4a");
  net_.server->receive({packet, packet.size()}, net_.address, net_.now);
  std::vector<char> buffer(2000);
  const auto out = net_.server->write(net_.now, buffer);
  ASSERT_GE(out.batch.bytes.size(), 11U);
  EXPECT_EQ(std::string(4, '\0'), out.batch.bytes.substr(1, 4));
  EXPECT_EQ(std::string("\0\0\0\1", 4), out.batch.bytes.substr(out.batch.bytes.size() - 4));
  // A small one could not have begun a connection.
  packet.resize(100);
  net_.server->receive({packet, packet.size()}, net_.address, net_.now);
  EXPECT_TRUE(net_.server->write(net_.now, buffer).batch.bytes.empty());
}

TEST_F(Http3SessionsTest, AServerWithoutVersion1IsNamed) {
  net_.connect(client_context_);
  const std::string packet = first_packet(&net_);
  ngtcp2_version_cid ids{};
  ASSERT_EQ(0, ngtcp2_pkt_decode_version_cid(
                   &ids, reinterpret_cast<const std::uint8_t*>(packet.data()), packet.size(), 8));
  const std::uint32_t versions[] = {0x6b3343cf};  // version 2 only
  std::array<std::uint8_t, 200> answer{};
  const auto size = ngtcp2_pkt_write_version_negotiation(
      answer.data(), answer.size(), 1, ids.scid, ids.scidlen, ids.dcid, ids.dcidlen, versions, 1);
  ASSERT_GT(size, 0);
  const std::string bytes(answer.begin(), answer.begin() + size);
  const Status status = net_.client->receive({bytes, bytes.size()}, net_.now);
  ASSERT_FALSE(status);
  EXPECT_NE(std::string::npos, status.error().what.find("version 1"));
}

TEST_F(Http3SessionsTest, ARetryIsFollowed) {
  net_.connect(client_context_);
  const std::string packet = first_packet(&net_);
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(packet.data());
  ngtcp2_pkt_hd head{};
  ASSERT_GT(ngtcp2_pkt_decode_hd_long(&head, bytes, packet.size()), 0);
  EXPECT_EQ(0U, head.token.len);
  ngtcp2_cid other{};
  other.datalen = 8;
  std::array<std::uint8_t, 300> retry{};
  const std::uint8_t token[] = {1, 2, 3, 4};
  const auto size = ngtcp2_crypto_write_retry(retry.data(), retry.size(), NGTCP2_PROTO_VER_V1,
                                              &head.scid, &other, &head.dcid, token, sizeof token);
  ASSERT_GT(size, 0);
  const std::string text(retry.begin(), retry.begin() + size);
  ASSERT_TRUE(net_.client->receive({text, text.size()}, net_.now));
  const std::string again = first_packet(&net_);
  ASSERT_GT(ngtcp2_pkt_decode_hd_long(&head, reinterpret_cast<const std::uint8_t*>(again.data()),
                                      again.size()),
            0);
  ASSERT_EQ(sizeof token, head.token.len);
  EXPECT_EQ(0, std::memcmp(token, head.token.base, sizeof token));
}

TEST_F(Http3SessionsTest, NoiseIsAnsweredWithLessThanItself) {
  Random random(5);
  std::vector<char> buffer(2000);
  for (int i = 0; i < 3000; ++i) {
    std::string noise(1 + random.below(1400), '\0');
    for (char& c : noise) c = static_cast<char>(random.below(256));
    net_.server->receive({noise, noise.size()}, net_.address, net_.now);
    std::size_t answered = 0;
    for (auto out = net_.server->write(net_.now, buffer); !out.batch.bytes.empty();
         out = net_.server->write(net_.now, buffer)) {
      answered += out.batch.bytes.size();
    }
    EXPECT_LE(answered, noise.size());
  }
  EXPECT_EQ(0, net_.connected);
}

}  // namespace
}  // namespace hone::traffic::wire
