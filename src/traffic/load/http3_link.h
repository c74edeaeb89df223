// A worker's HTTP/3 connections: each has a socket of its own, connected to the server, so that the
// kernel tells them apart and a server that is not there is noticed; buffers, timers and TLS
// credentials are shared.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/error.h"
#include "system/deadlines.h"
#include "system/net/datagram.h"
#include "system/net/loop.h"
#include "traffic/load/connection.h"
#include "traffic/wire/http3.h"

namespace hone::traffic::load {

class Http3Link;

// What they share. Outlives them.
class Http3Links {
 public:
  static Result<std::unique_ptr<Http3Links>> make(ConnectionContext* context,
                                                  const wire::ClientTlsOptions& options);
  std::unique_ptr<Link> add(int line);

  // Does what QUIC's timers ask for at `now`. Events come from within.
  void advance(system::Instant now);
  system::Instant next() const { return deadlines_.earliest(); }

 private:
  friend class Http3Link;
  explicit Http3Links(ConnectionContext* context);

  ConnectionContext* const context_;
  std::shared_ptr<wire::QuicContext> quic_;
  system::net::DatagramReader reader_;
  std::vector<char> output_;
  system::Deadlines deadlines_;    // by line
  std::vector<Http3Link*> links_;  // by line; null once it is gone
};

class Http3Link final : public Link, public system::net::Pollable, private wire::ClientEvents {
 public:
  Http3Link(int line, Http3Links* shared);
  ~Http3Link() override;
  Http3Link(const Http3Link&) = delete;
  Http3Link& operator=(const Http3Link&) = delete;

  Status open() override;
  void close() override;
  int free_slots() const override;
  void submit(std::uint64_t id, std::uint16_t request) override;
  bool retire() override;
  void flush() override;
  bool window_blocked() const override { return session_ && session_->window_blocked(); }
  bool was_useful() const override { return answers_ > 0; }
  wire::Failure failure() const override { return failure_; }
  std::uint16_t local_port() const override { return system::net::local_port(socket_); }

  void ready(std::uint32_t events) override;
  void expire(system::Instant now);

 private:
  enum class State { kClosed, kHandshaking, kUp };

  void on_response(std::uint64_t id, const wire::ResponseSummary&) override;
  void on_loss(std::uint64_t id, wire::Loss why, wire::Failure failure) override;
  void read_once();
  void settle(const Status& status);
  void rise();
  void fall(wire::Failure failure, const Error& why);
  void fall_by(int error);
  bool is_spent() const;
  bool went(const system::net::Io& io);
  void watch(bool writable);
  ConnectionContext& context() const { return *shared_->context_; }

  const int line_;
  Http3Links* const shared_;
  State state_ = State::kClosed;
  bool full_ = false;    // the kernel's buffer is, or the event's share is used up: for EPOLLOUT
  int write_error_ = 0;  // of the socket, not told yet
  bool retired_ = false;
  std::uint64_t answers_ = 0;
  wire::Failure failure_ = wire::Failure::kNone;
  system::net::Socket socket_;
  system::net::DatagramSender sender_;
  std::unique_ptr<wire::Http3Client> session_;
};

}  // namespace hone::traffic::load
