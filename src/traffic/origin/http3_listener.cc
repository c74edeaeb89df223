// In one event: read what waits, of any number of connections, then write what each of them has, a
// batch at a time and in turn. A peer that cannot be reached any more is left to its idle timeout.
#include "traffic/origin/http3_listener.h"

#include <sys/epoll.h>

#include <utility>

#include "traffic/origin/server.h"

namespace hone::traffic::origin {

using system::Instant;
using system::net::Io;
using system::net::IoState;
using system::net::Loop;

namespace {

// Messages of one read: a burst of the pool that a load generator keeps, each of one connection.
constexpr int kMessagesAtOnce = 32;

// Batches written in one event at most: those of 64 KiB bodies to 16 connections, and then the
// others on this loop have their turn.
constexpr int kBatchesPerEvent = 64;

}  // namespace

Http3Listener::Http3Listener(Server* server, system::net::Socket socket)
    : server_(server),
      socket_(std::move(socket)),
      reader_(kMessagesAtOnce),
      sender_(system::net::Packets::kTogether),
      output_(system::kMostBatchBytes) {}

Result<std::unique_ptr<Http3Listener>> Http3Listener::make(Server* server, const OriginSpec& spec,
                                                           std::uint16_t port) {
  HONE_TRY(auto context, wire::QuicContext::server(spec.tls_cert, spec.tls_key, spec.ticket_keys));
  HONE_TRY(auto socket, system::net::bind_datagrams({spec.listen.host, port}, spec.reuse_port));
  std::unique_ptr<Http3Listener> made(new Http3Listener(server, std::move(socket)));
  HONE_TRY(made->http3_, wire::make_http3_server(std::move(context), made.get()));
  return made;
}

Http3Listener::~Http3Listener() {
  server_->loop().remove(socket_.fd());
  if (http3_ == nullptr) return;
  http3_->close();
  const Instant now = Loop::read_clock();
  while (!full_ && write_next(now)) continue;
}

Status Http3Listener::start() { return server_->loop().add(socket_.fd(), EPOLLIN, this); }

void Http3Listener::ready(std::uint32_t events) {
  if (events & EPOLLOUT) watch(false);
  if (events & (EPOLLIN | EPOLLERR)) {
    const Io io = reader_.read(socket_.fd());
    if (io.state == IoState::kMoved) {
      server_->counters_now().bytes_in += io.bytes;
      const Instant now = Loop::read_clock();
      for (const system::net::Arrival& arrival : reader_.arrivals()) {
        http3_->receive(arrival.batch, arrival.from, now);
      }
    }
  }
  flush();
}

Instant Http3Listener::advance(Instant now) {
  if (http3_->expiry() <= now) {
    http3_->expire(now);
    flush();
  }
  return http3_->expiry();
}

void Http3Listener::on_connected(std::uint64_t) {
  OriginCounters& counters = server_->counters_now();
  ++counters.connections;
  ++counters.open_connections;
  ++counters.handshakes;
}

void Http3Listener::on_disconnected(std::uint64_t, bool broken) {
  OriginCounters& counters = server_->counters_now();
  --counters.open_connections;
  if (broken) ++counters.protocol_errors;
}

void Http3Listener::on_handshake_failed() { ++server_->counters_now().protocol_errors; }

bool Http3Listener::keeps_body(const wire::RequestView& head) {
  return server_->keeps_body(head.path);
}

void Http3Listener::on_request(wire::Http3Caller* caller, std::uint64_t stream,
                               const wire::RequestView& request) {
  const std::uint64_t connection = caller->connection;
  const wire::Reply* reply =
      server_->answer_to(Server::kHttp3 | connection, stream, request, &caller->asked);
  if (reply != nullptr) respond(connection, stream, *reply);
}

std::string_view Http3Listener::date() { return server_->date(); }

void Http3Listener::answer_delayed(std::uint64_t connection, std::uint64_t stream,
                                   const wire::Reply& reply) {
  respond(connection, stream, reply);
  flush();
}

void Http3Listener::respond(std::uint64_t connection, std::uint64_t stream,
                            const wire::Reply& reply) {
  if (http3_->respond(connection, stream, reply)) ++server_->counters_now().responses;
}

void Http3Listener::flush() {
  if (full_ || !went(sender_.resend(socket_.fd()))) return;
  const Instant now = Loop::read_clock();
  for (int i = 0; i < kBatchesPerEvent; ++i) {
    if (!write_next(now)) return;
  }
  watch(true);
}

// False: there is nothing, or no more can be sent now.
bool Http3Listener::write_next(Instant now) {
  const wire::Http3Server::Output out = http3_->write(now, output_);
  return !out.batch.bytes.empty() && went(sender_.send(socket_.fd(), out.batch, out.to));
}

// False: no more can be sent now. What failed is lost, as on the way.
bool Http3Listener::went(const Io& io) {
  server_->counters_now().bytes_out += io.bytes;
  if (io.state == IoState::kWouldBlock) watch(true);
  return io.state != IoState::kWouldBlock;
}

void Http3Listener::watch(bool writable) {
  full_ = writable;
  const std::uint32_t out = writable ? std::uint32_t{EPOLLOUT} : 0U;
  // It can only fail for want of kernel memory; the peers then ask again.
  (void)server_->loop().change(socket_.fd(), EPOLLIN | out, this);
}

}  // namespace hone::traffic::origin
