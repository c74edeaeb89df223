// The other end of the origin's connections, for its tests: raw bytes over a socket, and a client
// session over that.
#pragma once

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "system/net/socket.h"
#include "traffic/wire/client_session.h"
#include "traffic/wire/tls.h"

namespace hone::traffic::origin {

using system::net::Io;
using system::net::IoState;
using system::net::Socket;
using wire::Protocol;

constexpr int kLimitMs = 10'000;  // of every wait; a test that meets it has failed

// A client's socket, used as if it blocked.
// Without the Date header, which every second changes.
inline std::string without_date(std::string text) {
  for (std::size_t at = text.find("date: "); at != std::string::npos; at = text.find("date: ")) {
    text.erase(at, text.find('\n', at) + 1 - at);
  }
  return text;
}

class Peer {
 public:
  explicit Peer(std::uint16_t port) {
    auto socket = system::net::connect_start({"127.0.0.1", port});
    EXPECT_TRUE(socket);
    socket_ = *std::move(socket);
    EXPECT_TRUE(wait(POLLOUT));
    EXPECT_TRUE(system::net::connect_result(socket_));
  }

  void send(std::string_view bytes) {
    while (!bytes.empty()) {
      const Io io = system::net::write_some(socket_.fd(), bytes);
      if (io.state == IoState::kMoved) {
        bytes.remove_prefix(io.bytes);
      } else {
        ASSERT_EQ(io.state, IoState::kWouldBlock);
        ASSERT_TRUE(wait(POLLOUT));
      }
    }
  }
  void end_output() { ::shutdown(socket_.fd(), SHUT_WR); }
  void close() { socket_.close(); }
  void close_with_reset() { socket_.reset(); }

  // What comes next; "" at the end of the stream, an error or the limit.
  std::string receive() {
    std::string bytes(64 << 10, '\0');
    if (!wait(POLLIN)) return {};
    const Io io = system::net::read_some(socket_.fd(), bytes.data(), bytes.size());
    bytes.resize(io.state == IoState::kMoved ? io.bytes : 0);
    return bytes;
  }
  std::string receive_until(const std::string& end) {
    std::string all;
    while (!all.ends_with(end)) {
      const std::string more = receive();
      if (more.empty()) return all + "<end>";
      all += more;
    }
    return all;
  }
  std::string receive_all() {
    std::string all;
    for (std::string more = receive(); !more.empty(); more = receive()) all += more;
    return all;
  }

 private:
  bool wait(short events) {
    pollfd waiting{socket_.fd(), events, 0};
    return poll(&waiting, 1, kLimitMs) == 1;
  }
  Socket socket_;
};

// A client session over a Peer, with TLS where a context is given.
class Client : public wire::ClientEvents {
 public:
  Client(std::uint16_t port, Protocol protocol, std::shared_ptr<wire::TlsContext> tls = nullptr)
      : peer_(port), protocol_(protocol) {
    session_ = wire::make_client_session(protocol, 100, this);
    if (tls == nullptr) return;
    tls_ = wire::make_tls_channel(tls);
    EXPECT_TRUE(tls_->start());
    while (!tls_->established() && turn()) {
    }
    EXPECT_TRUE(tls_->established());
  }

  void submit(const std::string& path, const std::string& body = {}) {
    wire::Request request;
    request.authority = "origin";
    request.path = path;
    request.body = body;
    if (!body.empty()) request.method = "POST";
    prepared_.push_back(wire::prepare(protocol_, request));  // read from where it lies, later
    session_->submit(++submitted_, *prepared_.back());
  }
  // The responses so far once `count` are there, or the connection has ended.
  const std::vector<wire::ResponseSummary>& wait_for(std::size_t count) {
    while (responses_.size() < count && turn()) {
    }
    return responses_;
  }
  wire::ResponseSummary ask(const std::string& path, const std::string& body = {}) {
    submit(path, body);
    const std::size_t wanted = responses_.size() + 1;
    return wait_for(wanted).size() == wanted ? responses_.back() : wire::ResponseSummary{};
  }
  wire::TlsChannel& tls() { return *tls_; }
  bool closing() const { return session_->closing(); }
  int losses() const { return losses_; }

  void on_response(std::uint64_t, const wire::ResponseSummary& summary) override {
    responses_.push_back(summary);
  }
  void on_loss(std::uint64_t, wire::Loss, wire::Failure) override { ++losses_; }

 private:
  bool turn() {
    flush();
    const std::string bytes = peer_.receive();
    if (bytes.empty()) {
      session_->end_of_input();
      return false;
    }
    std::string plain;
    if (tls_) {
      EXPECT_TRUE(tls_->receive(bytes, &plain));
    } else {
      plain = bytes;
    }
    if (!plain.empty()) {
      EXPECT_TRUE(session_->receive(plain));
    }
    flush();
    return true;
  }
  void flush() {
    if (!tls_ || tls_->established()) {
      for (std::string_view out = session_->output(); !out.empty(); out = session_->output()) {
        if (tls_) {
          EXPECT_TRUE(tls_->send(out));
        } else {
          peer_.send(out);
        }
        session_->consume(out.size());
      }
    }
    if (!tls_) return;
    for (std::string_view out = tls_->output(); !out.empty(); out = tls_->output()) {
      peer_.send(out);
      tls_->consume(out.size());
    }
  }

  Peer peer_;
  Protocol protocol_;
  std::unique_ptr<wire::ClientSession> session_;
  std::unique_ptr<wire::TlsChannel> tls_;
  std::vector<std::unique_ptr<wire::PreparedRequest>> prepared_;
  std::vector<wire::ResponseSummary> responses_;
  std::uint64_t submitted_ = 0;
  int losses_ = 0;
};

}  // namespace hone::traffic::origin
