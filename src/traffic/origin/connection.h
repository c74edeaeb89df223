// One connection to the origin: socket, TLS where asked for, and the session that speaks HTTP.
#pragma once

#include <cstdint>
#include <memory>

#include "system/net/loop.h"
#include "system/net/socket.h"
#include "traffic/wire/server_session.h"
#include "traffic/wire/tls.h"

namespace hone::traffic::origin {

class Server;

class Connection final : public system::net::Pollable, public wire::ServerEvents {
 public:
  Connection(Server* server, std::uint64_t id, system::net::Socket socket);
  ~Connection() override;
  Status watch();  // before anything else; after an error it can only be destroyed

  // Both may end in Server::drop(), which destroys *this.
  void ready(std::uint32_t events) override;
  void answer_delayed(std::uint64_t stream, const wire::Reply& reply);

  // Neither moved a byte for long, or has been waited for long enough after a broken request.
  bool expired(system::Instant now) const;
  bool lingering() const { return stage_ == Stage::kLingering; }

  void on_request(std::uint64_t stream, const wire::RequestView& request) override;
  void on_request_lost(std::uint64_t stream) override;
  bool keeps_body(const wire::RequestView& head) override;
  std::string_view date() override;

 private:
  enum class Stage {
    kOpen,
    kBroken,     // the peer violated its protocol: say so, then linger
    kLingering,  // everything is sent; what still comes is read and dropped
  };
  void respond(std::uint64_t stream, const wire::Reply& reply);
  bool read();  // false: the connection is over
  void take(std::string_view bytes);
  void take_plain(std::string_view bytes);
  void end_of_input();
  bool write();  // false: the connection is over
  std::string_view output();
  void consume(std::size_t bytes);
  bool finished() const;
  void settle();
  bool reading() const { return !ended_ && !blocked_; }

  Server* server_;
  const std::uint64_t id_;
  system::net::Socket socket_;
  std::unique_ptr<wire::TlsChannel> tls_;         // null on clear text
  std::unique_ptr<wire::ServerSession> session_;  // null until TLS has agreed on a protocol
  Stage stage_ = Stage::kOpen;
  bool ended_ = false;         // the peer's end of stream came
  bool blocked_ = false;       // output waits for the socket
  bool said_goodbye_ = false;  // close_notify
  std::uint32_t watched_ = 0;  // events asked of the loop
  system::Instant moved_;      // when the last event came
  system::Instant asked_{};    // when the last request came; 0: none yet
};

}  // namespace hone::traffic::origin
