// One connection of a pool: socket, TLS where asked for, and the wire session on top. It moves
// bytes and tells its owner what came of the requests; it decides nothing.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/random.h"
#include "system/net/loop.h"
#include "system/net/socket.h"
#include "traffic/load/link.h"
#include "traffic/load/load_session.h"
#include "traffic/wire/client_session.h"
#include "traffic/wire/tls.h"

namespace hone::traffic::load {

class ConnectionOwner {
 public:
  virtual ~ConnectionOwner() = default;
  virtual void up(int line) = 0;
  virtual void answered(int line, std::uint64_t id, const wire::ResponseSummary&) = 0;
  virtual void lost(int line, std::uint64_t id, wire::Loss why, wire::Failure failure) = 0;
  // The end of one event: slots may be free. The connection writes what is submitted here together
  // with what it owes the peer.
  virtual void settled(int line) = 0;
  // It is closed, and this is its last word in this event: the owner may open it again. kNone: that
  // was the plan, after its last request.
  virtual void down(int line, wire::Failure failure, const Error& why) = 0;
};

// What all connections of one worker share.
struct ConnectionContext {
  system::net::Loop* loop = nullptr;
  ConnectionOwner* owner = nullptr;
  Target target;
  int streams = 1;
  std::shared_ptr<wire::TlsContext> tls;                         // null: clear text
  std::vector<std::unique_ptr<wire::PreparedRequest>> requests;  // the pool's list
  // One read takes this much at most: nearly every answer whole, and L2-resident.
  std::vector<char> buffer = std::vector<char>(64 << 10);
  std::string plain;  // of one read, decrypted

  // Which new TLS connections offer the last ticket.
  double resume = 1;
  Random resume_draws{0};
  bool draw_resumption() { return resume >= 1 || (resume > 0 && resume_draws.uniform() < resume); }

  // Since the worker was made.
  std::uint64_t bytes_in = 0, bytes_out = 0;
  std::uint64_t connections_made = 0, handshakes_full = 0, handshakes_resumed = 0;
  std::uint64_t handshakes_offered = 0;
  wire::FailureCounts connection_failures;
};

class Connection final : public Link, public system::net::Pollable, private wire::ClientEvents {
 public:
  Connection(int line, ConnectionContext* context) : line_(line), context_(context) {}
  ~Connection() override { close(); }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

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

 private:
  // kUp: through the TLS handshake, and on HTTP/2 with the server's SETTINGS in: they are the first
  // thing it must send, and hold how many streams it allows.
  enum class State { kClosed, kConnecting, kHandshaking, kUp };

  void on_response(std::uint64_t id, const wire::ResponseSummary&) override;
  void on_loss(std::uint64_t id, wire::Loss why, wire::Failure failure) override;
  void finish_connect();
  void read_once();
  Status receive(std::string_view bytes);
  Status receive_tls(std::string_view cipher);
  void rise();
  void fall(wire::Failure failure, const Error& why);
  std::string_view output();
  bool is_spent() const;
  wire::Failure end_of_stream() const;
  void watch(bool writable);

  const int line_;
  ConnectionContext* const context_;
  State state_ = State::kClosed;
  bool full_ = false;  // the kernel's buffer is, or the event's share is used up: for EPOLLOUT
  bool write_failed_ = false;
  bool handshake_counted_ = false;
  bool retired_ = false;
  std::uint64_t answers_ = 0;
  wire::Failure failure_ = wire::Failure::kNone;
  system::net::Socket socket_;
  std::unique_ptr<wire::TlsChannel> tls_;
  std::unique_ptr<wire::ClientSession> session_;
};

}  // namespace hone::traffic::load
