#include "traffic/origin/server.h"

#include <sys/epoll.h>

#include <algorithm>

namespace hone::traffic::origin {

using system::Instant;

namespace {

// Taken in one event: a load generator opens its whole pool at once, and its other events wait.
constexpr int kAcceptsPerEvent = 64;

// A read takes most requests whole, and enough of an upload to make the system call worth it.
constexpr std::size_t kReadBytes = 64 << 10;

constexpr system::Duration kSweepEvery = std::chrono::seconds(30);
constexpr system::Duration kSweepLingeringEvery = std::chrono::milliseconds(250);

// With no descriptor left, a listener would be ready for ever: it rests for this long.
constexpr system::Duration kListenerRest = std::chrono::milliseconds(100);

}  // namespace

Result<std::unique_ptr<Origin>> Origin::listen(system::net::Loop* loop, const OriginSpec& spec) {
  std::shared_ptr<wire::TlsContext> tls;
  if (spec.tls_cert.empty() != spec.tls_key.empty()) {
    return fail(ErrorKind::kUsage, "the origin was given a certificate or a key, but not both",
                "give both files, or neither for clear text");
  }
  if (!spec.tls_cert.empty()) {
    HONE_TRY(tls, wire::TlsContext::server(spec.tls_cert, spec.tls_key, spec.ticket_keys));
  }
  HONE_TRY(system::net::Socket listener, system::net::listen(spec.listen, spec.reuse_port));
  auto server = std::make_unique<Server>(loop, std::move(listener), std::move(tls));
  HONE_CHECK(server->start());
  return server;
}

Server::Server(system::net::Loop* loop, system::net::Socket listener,
               std::shared_ptr<wire::TlsContext> tls)
    : loop_(loop), listener_(std::move(listener)), tls_(std::move(tls)), read_buffer_(kReadBytes) {}

Server::~Server() {
  loop_->remove_pacer(this);
  loop_->remove(listener_.fd());
}

Status Server::start() {
  HONE_CHECK(loop_->add(listener_.fd(), EPOLLIN, this));
  loop_->add_pacer(this);
  return {};
}

void Server::ready(std::uint32_t) {
  for (int i = 0; i < kAcceptsPerEvent; ++i) {
    auto accepted = system::net::accept_next(listener_);
    if (!accepted) {  // too many open files
      loop_->remove(listener_.fd());
      listen_again_ = loop_->now() + kListenerRest;
      return;
    }
    if (!accepted->open()) return;
    const std::uint64_t id = next_id_++;
    auto connection = std::make_unique<Connection>(this, id, *std::move(accepted));
    if (!connection->watch()) continue;
    ++counters_.connections;
    ++counters_.open_connections;
    connections_.emplace(id, std::move(connection));
    next_sweep_ = std::min(next_sweep_, loop_->now() + kSweepEvery);
  }
}

void Server::delay(std::uint64_t connection, std::uint64_t stream, const Route& route) {
  delayed_.push({loop_->now() + route.delay, connection, stream, route.reply});
}

void Server::look_at_lingering() {
  next_sweep_ = std::min(next_sweep_, loop_->now() + kSweepLingeringEvery);
}

void Server::drop(std::uint64_t connection) {
  counters_.open_connections -= connections_.erase(connection);
}

Instant Server::advance(Instant now) {
  if (now >= listen_again_) {
    const bool listening = loop_->add(listener_.fd(), EPOLLIN, this).has_value();
    listen_again_ = listening ? Instant::max() : now + kListenerRest;
  }
  while (!delayed_.empty() && delayed_.top().due <= now) {
    const Delayed due = delayed_.top();
    delayed_.pop();
    const auto found = connections_.find(due.connection);
    if (found != connections_.end()) found->second->answer_delayed(due.stream, due.reply);
  }
  if (now >= next_sweep_) sweep(now);
  const Instant due = delayed_.empty() ? Instant::max() : delayed_.top().due;
  return std::min({due, next_sweep_, listen_again_});
}

void Server::sweep(Instant now) {
  counters_.open_connections -=
      std::erase_if(connections_, [&](const auto& entry) { return entry.second->expired(now); });
  next_sweep_ = connections_.empty() ? Instant::max() : now + kSweepEvery;
  for (const auto& [id, connection] : connections_) {
    if (connection->lingering()) look_at_lingering();
  }
}

}  // namespace hone::traffic::origin
