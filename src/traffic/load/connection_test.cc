// A connection against a peer that the test plays by hand, on one loop and one thread.
#include "traffic/load/connection.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>

namespace hone::traffic::load {
namespace {

using system::net::Loop;

// Of every wait; a test that meets it has failed.
constexpr auto kLimit = std::chrono::seconds(10);

class Owner final : public ConnectionOwner {
 public:
  void up(int) override { is_up = true; }
  void answered(int, std::uint64_t, const wire::ResponseSummary& summary) override {
    answers.push_back(summary);
  }
  void lost(int, std::uint64_t, wire::Loss why, wire::Failure) override { losses.push_back(why); }
  void settled(int) override {}
  void down(int, wire::Failure why, const Error& error) override {
    is_down = true, failure = why, reason = error.what;
  }

  std::vector<wire::ResponseSummary> answers;
  std::vector<wire::Loss> losses;
  bool is_up = false, is_down = false;
  wire::Failure failure = wire::Failure::kNone;
  std::string reason;
};

class ConnectionTest : public testing::Test, private system::net::Pacer {
 protected:
  void SetUp() override {
    loop_ = *Loop::create();
    loop_->add_pacer(this);
    context_.loop = loop_.get();
    context_.owner = &owner_;
  }
  // Runs the loop until `condition` holds.
  testing::AssertionResult wait(std::function<bool()> condition) {
    condition_ = std::move(condition);
    met_ = false;
    loop_->run(Loop::read_clock() + kLimit);
    if (met_) return testing::AssertionSuccess();
    return testing::AssertionFailure() << "did not come about; down: " << owner_.reason;
  }
  void use_tls() {
    const auto pair = wire::make_self_signed_certificate();
    ASSERT_TRUE(pair);
    const std::filesystem::path folder = testing::TempDir();
    const auto file = [&](const char* kind, const std::string& text) {
      const auto path = folder / ("hone-connection-" + std::to_string(::getpid()) + kind);
      std::ofstream(path) << text;
      return path;
    };
    const auto cert = file(".cert", pair->cert_pem);
    const auto key = file(".key", pair->key_pem);
    peer_context_ = *wire::TlsContext::server(cert, key);
    std::filesystem::remove(cert);
    std::filesystem::remove(key);
    wire::ClientTlsOptions options;
    options.verify = false;
    options.protocol = context_.target.protocol;
    context_.tls = *wire::TlsContext::client(options);
  }
  // Connects, and shakes hands where there is TLS.
  void open(const wire::Request& request = {}) {
    listener_ = *system::net::listen({"127.0.0.1", 0});
    context_.target.address = {"127.0.0.1", system::net::local_port(listener_)};
    context_.requests.push_back(wire::prepare(context_.target.protocol, request));
    connection_.emplace(0, &context_);
    ASSERT_TRUE(connection_->open());
    ASSERT_TRUE(wait([&] { return context_.connections_made == 1; }));
    peer_ = *system::net::accept_next(listener_);
    ASSERT_TRUE(peer_.open());
    if (!context_.tls) return;
    peer_tls_ = wire::make_tls_channel(peer_context_);
    ASSERT_TRUE(wait([&] {
      hear();
      flush_tls();
      return peer_tls_->established() && context_.handshakes_full == 1;
    }));
  }
  // What has come in at the peer, decrypted.
  std::string hear() {
    std::string bytes(64 << 10, '\0');
    const auto io = system::net::read_some(peer_.fd(), bytes.data(), bytes.size());
    bytes.resize(io.state == system::net::IoState::kMoved ? io.bytes : 0);
    if (!peer_tls_ || bytes.empty()) return bytes;
    std::string plain;
    EXPECT_TRUE(peer_tls_->receive(bytes, &plain));
    return plain;
  }
  void flush_tls(const std::string& behind = {}) {
    const std::string out = std::string(peer_tls_->output()) + behind;
    EXPECT_TRUE(out.empty() || system::net::write_some(peer_.fd(), out).bytes == out.size());
    peer_tls_->consume(out.size() - behind.size());
  }
  void say(const std::string& text) {
    if (peer_tls_) {
      EXPECT_TRUE(peer_tls_->send(text));
      return flush_tls();
    }
    EXPECT_EQ(text.size(), system::net::write_some(peer_.fd(), text).bytes);
  }
  void submit() {
    ASSERT_EQ(1, connection_->free_slots());
    connection_->submit(1, 0);
    connection_->flush();
    // Unread, it would make a reset of the peer's close.
    ASSERT_TRUE(wait([&] { return !hear().empty(); }));
  }

  std::unique_ptr<Loop> loop_;
  Owner owner_;
  ConnectionContext context_;
  std::shared_ptr<wire::TlsContext> peer_context_;
  system::net::Socket listener_, peer_;
  std::unique_ptr<wire::TlsChannel> peer_tls_;
  std::optional<Connection> connection_;

 private:
  // The loop's own turns drive the condition: a millisecond apart where nothing else happens.
  system::Instant advance(system::Instant now) override {
    met_ = met_ || condition_();
    if (met_) loop_->stop();
    return now + std::chrono::milliseconds(1);
  }
  std::function<bool()> condition_;
  bool met_ = false;
};

constexpr const char* kCutBody = "HTTP/1.1 200 OK\r\n\r\npart of a body that its close delimits";

TEST_F(ConnectionTest, ABodyEndedByTheCloseIsWhole) {
  open();
  submit();
  say(kCutBody);
  peer_.close();
  ASSERT_TRUE(wait([&] { return owner_.is_down; }));
  EXPECT_EQ(1U, owner_.answers.size());
}

TEST_F(ConnectionTest, OverTlsOnlyACloseNotifyEndsABody) {
  for (const bool notified : {true, false}) {
    owner_ = {};
    context_.connections_made = context_.handshakes_full = context_.handshakes_resumed = 0;
    use_tls();
    open();
    submit();
    say(kCutBody);
    if (notified) peer_tls_->close();
    flush_tls();
    peer_.close();
    ASSERT_TRUE(wait([&] { return owner_.is_down; }));
    EXPECT_EQ(notified ? 1U : 0U, owner_.answers.size());
    EXPECT_EQ(0U, owner_.losses.size());  // the owner knows what was open
    EXPECT_EQ(notified ? wire::Failure::kCloseAnnounced : wire::Failure::kTlsTruncated,
              owner_.failure);
    connection_.reset();
  }
}

TEST_F(ConnectionTest, AnAnswerAheadOfABrokenRecordCounts) {
  use_tls();
  open();
  submit();
  const std::string broken(64, 'x');
  ASSERT_TRUE(peer_tls_->send("HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nbody"));
  flush_tls(broken);  // in one write, so in one read
  ASSERT_TRUE(wait([&] { return owner_.is_down; }));
  EXPECT_EQ(1U, owner_.answers.size());
  EXPECT_NE(std::string::npos, owner_.reason.find("TLS")) << owner_.reason;
  EXPECT_EQ(wire::Failure::kTls, owner_.failure);
}

TEST_F(ConnectionTest, AnHttp2ConnectionIsUpOnceTheServersSettingsAreIn) {
  context_.target.protocol = wire::Protocol::kHttp2;
  context_.streams = 32;
  open();
  const std::string settings("\0\0\6\4\0\0\0\0\0\0\3\0\0\0\5", 15);  // 5 streams at once
  for (std::size_t said = 0; said + 1 < settings.size(); ++said) {
    say(settings.substr(said, 1));
    ASSERT_TRUE(wait([&] { return context_.bytes_in == said + 1; }));
    EXPECT_FALSE(owner_.is_up);
    EXPECT_EQ(0, connection_->free_slots());
  }
  say(settings.substr(settings.size() - 1));
  ASSERT_TRUE(wait([&] { return owner_.is_up; }));
  EXPECT_EQ(5, connection_->free_slots());
}

TEST_F(ConnectionTest, ALargeUploadTakesNoMoreThanItsShareOfOneEvent) {
  const std::size_t share = 1 << 20;
  for (const bool tls : {false, true}) {
    context_.connections_made = context_.handshakes_full = 0;
    if (tls) use_tls();
    wire::Request request;
    request.method = "POST";
    request.body.assign(16 << 20, 'b');
    open(request);
    const auto before = context_.bytes_out;
    connection_->submit(1, 0);
    connection_->flush();
    EXPECT_GT(context_.bytes_out - before, 0U);
    EXPECT_LE(context_.bytes_out - before, share);
    // And it goes on to its end by itself.
    std::size_t heard = 0;
    EXPECT_TRUE(wait([&] { return (heard += hear().size()) > request.body.size(); }));
    connection_.reset();
  }
}

TEST_F(ConnectionTest, AnUploadOverTlsIsEncryptedAsItLeaves) {
  use_tls();
  wire::Request request;
  request.method = "POST";
  request.body.assign(16 << 20, 'b');
  open(request);
  submit();
  say("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n");
  ASSERT_TRUE(wait([&] { return owner_.answers.size() == 1; }));
  EXPECT_EQ(0, connection_->free_slots());  // most of it is still the session's
}

TEST_F(ConnectionTest, AResetThatAWriteMeetsFirstDoesNotMakeACutBodyWhole) {
  wire::Request request;
  request.method = "POST";
  request.body.assign(16 << 20, 'b');  // more than the kernel's buffers take
  open(request);
  submit();
  say(kCutBody);
  const auto before = context_.bytes_in;
  ASSERT_TRUE(wait([&] { return context_.bytes_in > before; }));
  peer_.reset();
  ASSERT_TRUE(wait([&] { return owner_.is_down; }));
  EXPECT_EQ(0U, owner_.answers.size());
  EXPECT_EQ(wire::Failure::kConnectionReset, owner_.failure);
}

}  // namespace
}  // namespace hone::traffic::load
