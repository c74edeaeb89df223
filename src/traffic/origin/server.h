// The origin on one loop: its listener, its connections, and the answers that wait for their time.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "system/net/loop.h"
#include "system/net/socket.h"
#include "traffic/origin/connection.h"
#include "traffic/origin/http3_listener.h"
#include "traffic/origin/origin.h"
#include "traffic/origin/route.h"
#include "traffic/wire/tls.h"

namespace hone::traffic::origin {

class Server final : public Origin, public system::net::Pollable, public system::net::Pacer {
 public:
  Server(system::net::Loop* loop, system::net::Socket listener,
         std::shared_ptr<wire::TlsContext> tls, std::shared_ptr<Siblings> siblings);
  ~Server() override;
  Status start();
  Status serve_http3(const OriginSpec& spec);  // too, on the UDP port of the same number

  std::uint16_t port() const override { return system::net::local_port(listener_); }
  OriginCounters counters() const override { return counters_; }

  void ready(std::uint32_t events) override;  // of the listener
  system::Instant advance(system::Instant now) override;

  // For connections.
  system::net::Loop& loop() { return *loop_; }
  const std::shared_ptr<wire::TlsContext>& tls() const { return tls_; }
  OriginCounters& counters_now() { return counters_; }
  std::span<char> read_buffer() { return read_buffer_; }
  std::string& plain_buffer() { return plain_buffer_; }
  static constexpr std::uint64_t kHttp3 = std::uint64_t{1} << 63;  // in a connection's number
  // Counts a request, on a connection where the one before came at *last. Null: its answer comes
  // later, by answer(). Valid until the next call.
  const wire::Reply* answer_to(std::uint64_t connection, std::uint64_t stream,
                               const wire::RequestView& request, system::Instant* last);
  // Whether the answer to such a request needs the request's body.
  bool keeps_body(std::string_view path);
  std::string_view date();              // for the Date header, made once a second
  void look_at_lingering();             // one is lingering from now on
  void drop(std::uint64_t connection);  // destroys it

 private:
  struct Delayed {
    system::Instant due;
    std::uint64_t connection = 0, stream = 0;
    wire::Reply reply;
  };
  static bool is_later(const Delayed& a, const Delayed& b) { return a.due > b.due; }
  void count_arrival(const wire::RequestView& request, system::Instant* last);
  void answer(std::uint64_t connection, std::uint64_t stream, const wire::Reply& reply);
  void answer_due(system::Instant now);
  void sweep(system::Instant now);

  system::net::Loop* loop_;
  system::net::Socket listener_;
  std::shared_ptr<wire::TlsContext> tls_;
  std::shared_ptr<Siblings> siblings_;
  OriginCounters counters_;
  RouteCache routes_;
  wire::Reply made_;  // the answer of the latest request that has one of its own
  std::vector<char> read_buffer_;
  std::string plain_buffer_;
  std::vector<Delayed> delayed_;  // a heap, the first due on top
  std::string date_;
  system::Instant date_until_{};
  system::Instant next_sweep_ = system::Instant::max();
  system::Instant listen_again_ = system::Instant::max();
  std::uint64_t next_id_ = 1;
  // Last, so that connections are destroyed first.
  std::unordered_map<std::uint64_t, std::unique_ptr<Connection>> connections_;
  std::unique_ptr<Http3Listener> http3_;  // null: not served
};

}  // namespace hone::traffic::origin
