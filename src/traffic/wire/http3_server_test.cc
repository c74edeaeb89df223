// The server of HTTP/3 against a client that says what Http3Client never would.
#include "traffic/wire/http3_server.h"

#include <gtest/gtest.h>

#include "traffic/wire/http3_network.h"
#include "traffic/wire/http3_scripted_server.h"

namespace hone::traffic::wire {
namespace {

using system::Instant;

class ClientWithTrailers final : public RawHttp3Connection {
 public:
  explicit ClientWithTrailers(std::shared_ptr<GnutlsContext> context)
      : RawHttp3Connection(std::move(context)) {}
  Status start(Instant now) {
    constexpr std::uint64_t kWindow = 1 << 20;
    return start_client({kWindow, kWindow, 0, {}}, /*resume=*/false, now);
  }
  void post(const std::string& body, const std::vector<Header>& trailers) {
    body_ = body;
    trailers_ = trailers;
    given_ = false;
    std::int64_t stream = -1;
    ASSERT_EQ(0, ngtcp2_conn_open_bidi_stream(quic(), &stream, nullptr));
    const nghttp3_nv head[] = {
        http3_field(":method", "POST", true), http3_field(":scheme", "https", true),
        http3_field(":authority", "a", true), http3_field(":path", "/up", true)};
    const nghttp3_data_reader reader{give};
    ASSERT_EQ(0, nghttp3_conn_submit_request(http(), stream, head, std::size(head), &reader, this));
  }
  std::vector<std::string> outcomes;  // a status, or "reset CODE"

 private:
  static nghttp3_ssize give(nghttp3_conn* http, std::int64_t id, nghttp3_vec* pieces, std::size_t,
                            std::uint32_t* flags, void*, void* of) {
    auto& self = *static_cast<ClientWithTrailers*>(of);
    if (self.given_) return NGHTTP3_ERR_WOULDBLOCK;
    self.given_ = true;
    pieces[0] = {reinterpret_cast<std::uint8_t*>(self.body_.data()), self.body_.size()};
    *flags |= NGHTTP3_DATA_FLAG_EOF | NGHTTP3_DATA_FLAG_NO_END_STREAM;
    std::vector<nghttp3_nv> fields;
    for (const Header& one : self.trailers_) {
      fields.push_back(http3_field(one.name, one.value, true));
    }
    EXPECT_EQ(0, nghttp3_conn_submit_trailers(http, id, fields.data(), fields.size()));
    return 1;
  }
  void on_field(void*, std::int64_t, std::string_view name, std::string_view value) override {
    if (name == ":status") outcomes.emplace_back(value);
  }
  void on_reset(std::int64_t, std::uint64_t code) override {
    outcomes.push_back("reset " + std::to_string(code));
  }

  std::string body_;
  std::vector<Header> trailers_;
  bool given_ = false;
};

class Http3ServerTest : public testing::Test {
 protected:
  void SetUp() override {
    net_.serve(*QuicContext::server(files_.cert(), files_.key()));
    net_.answer = [this](const RequestView& request) {
      headers_ = *request.headers;
      return Reply();
    };
    ClientTlsOptions options;
    options.verify = false;
    client_ = std::make_unique<ClientWithTrailers>(*GnutlsContext::make_client(options));
    ASSERT_TRUE(client_->start(net_.now));
    ASSERT_TRUE(turn([&] { return client_->http() != nullptr && net_.connected == 1; }));
  }
  // Carries datagrams, each within a millisecond, until `condition` holds.
  bool turn(const std::function<bool()>& condition) {
    std::vector<char> buffer(system::kMostBatchBytes);
    for (int i = 0; i < 1000 && !condition(); ++i) {
      net_.now += std::chrono::milliseconds(1);
      for (auto out = client_->write_batch(net_.now, buffer); !out.bytes.empty();
           out = client_->write_batch(net_.now, buffer)) {
        net_.server->receive(out, net_.address, net_.now);
      }
      for (auto out = net_.server->write(net_.now, buffer); !out.batch.bytes.empty();
           out = net_.server->write(net_.now, buffer)) {
        system::for_each_datagram(out.batch,
                                  [&](std::string_view one) { client_->read(one, net_.now); });
      }
      client_->handle_expiry(net_.now);
      net_.server->expire(net_.now);
    }
    return condition();
  }

  CertificateFiles files_;
  Http3Network net_;
  std::vector<Header> headers_;
  std::unique_ptr<ClientWithTrailers> client_;
};

TEST_F(Http3ServerTest, ARequestWithTrailersIsWholeWithoutThem) {
  client_->post("body", {{"x-checksum", "1"}});
  ASSERT_TRUE(turn([&] { return !client_->outcomes.empty(); }));
  EXPECT_EQ(std::vector<std::string>{"200"}, client_->outcomes);
  EXPECT_EQ(std::vector<std::string>{"POST /up 4"}, net_.requests);
  EXPECT_TRUE(headers_.empty());
}

TEST_F(Http3ServerTest, TrailersAboveTheLimitAreRefusedWithTheirRequestAlone) {
  client_->post("body", std::vector<Header>(100, {"x", std::string(3000, 'v')}));
  ASSERT_TRUE(turn([&] { return !client_->outcomes.empty(); }));
  EXPECT_EQ("reset " + std::to_string(NGHTTP3_H3_EXCESSIVE_LOAD), client_->outcomes.back());
  EXPECT_TRUE(net_.requests.empty());
  client_->post("body", {{"x", "v"}});
  ASSERT_TRUE(turn([&] { return client_->outcomes.size() == 2; }));
  EXPECT_EQ("200", client_->outcomes.back());
}

}  // namespace
}  // namespace hone::traffic::wire
