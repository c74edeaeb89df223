// The origin's HTTP/3: one UDP socket with all its connections, beside the listener of byte streams
// and on the port of the same number.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/error.h"
#include "system/net/datagram.h"
#include "system/net/loop.h"
#include "traffic/origin/origin.h"
#include "traffic/wire/http3.h"

namespace hone::traffic::origin {

class Server;

class Http3Listener final : public system::net::Pollable, private wire::Http3ServerEvents {
 public:
  // With the certificate and keys of `spec`, on its address and that port.
  static Result<std::unique_ptr<Http3Listener>> make(Server* server, const OriginSpec& spec,
                                                     std::uint16_t port);
  ~Http3Listener() override;  // says goodbye to those that are connected
  Http3Listener(const Http3Listener&) = delete;
  Http3Listener& operator=(const Http3Listener&) = delete;
  Status start();

  void ready(std::uint32_t events) override;
  system::Instant advance(system::Instant now);  // as Pacer's
  void answer_delayed(std::uint64_t connection, std::uint64_t stream, const wire::Reply& reply);

 private:
  Http3Listener(Server* server, system::net::Socket socket);
  void on_connected(std::uint64_t connection) override;
  void on_disconnected(std::uint64_t connection, bool broken) override;
  void on_handshake_failed() override;
  bool keeps_body(const wire::RequestView& head) override;
  void on_request(wire::Http3Caller* caller, std::uint64_t stream,
                  const wire::RequestView& request) override;
  void on_request_lost(std::uint64_t, std::uint64_t) override {}
  std::string_view date() override;
  void respond(std::uint64_t connection, std::uint64_t stream, const wire::Reply& reply);
  void flush();
  bool write_next(system::Instant now);
  bool went(const system::net::Io& io);
  void watch(bool writable);

  Server* const server_;
  system::net::Socket socket_;
  system::net::DatagramReader reader_;
  system::net::DatagramSender sender_;
  std::vector<char> output_;
  bool full_ = false;                         // the kernel takes no more: for EPOLLOUT
  std::unique_ptr<wire::Http3Server> http3_;  // last: its connections end first
};

}  // namespace hone::traffic::origin
