#include "traffic/origin/server.h"

#include <sys/epoll.h>

#include <algorithm>
#include <utility>

#include "traffic/origin/siblings.h"
#include "traffic/origin/spin.h"
#include "traffic/wire/grpc.h"
#include "traffic/wire/http_date.h"

namespace hone::traffic::origin {

using system::Instant;

namespace {

// Taken in one event: a load generator opens its whole pool at once, and its other events wait.
constexpr int kAcceptsPerEvent = 64;

// A read takes most requests whole, and enough of an upload to make the system call worth it.
constexpr std::size_t kReadBytes = 64 << 10;

// Delayed answers in one turn of the loop, as many as connections are taken: with thousands due at
// once, new requests would wait behind all of them.
constexpr int kAnswersPerTurn = 64;

constexpr system::Duration kSweepEvery = std::chrono::seconds(30);
constexpr system::Duration kSweepLingeringEvery = std::chrono::milliseconds(250);

// A port that is free for TCP may be taken for UDP: then another one is asked for. The kernel has
// 28,000 to give; as many in a row that are taken means that most are.
constexpr int kPortTries = 8;

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
  if (spec.http3 && spec.tls_cert.empty()) {
    return fail(ErrorKind::kUsage, "HTTP/3 is always encrypted: the origin needs a certificate",
                "give --tls-cert and --tls-key");
  }
  for (int left = spec.http3 ? kPortTries : 1;; --left) {
    HONE_TRY(system::net::Socket listener, system::net::listen(spec.listen, spec.reuse_port));
    auto server = std::make_unique<Server>(loop, std::move(listener), tls, spec.siblings);
    HONE_CHECK(server->start());
    if (!spec.http3) return server;
    const Status served = server->serve_http3(spec);
    if (served) return server;
    const bool any_port = spec.listen.port == 0 && served.error().kind == ErrorKind::kPortTaken;
    if (!any_port || left == 1) return tl::make_unexpected(served.error());
  }
}

Server::Server(system::net::Loop* loop, system::net::Socket listener,
               std::shared_ptr<wire::TlsContext> tls, std::shared_ptr<Siblings> siblings)
    : loop_(loop),
      listener_(std::move(listener)),
      tls_(std::move(tls)),
      siblings_(std::move(siblings)),
      read_buffer_(kReadBytes) {}

Server::~Server() {
  if (siblings_) siblings_->leave(this);
  loop_->remove_pacer(this);
  loop_->remove(listener_.fd());
}

Status Server::start() {
  HONE_CHECK(loop_->add(listener_.fd(), EPOLLIN, this));
  loop_->add_pacer(this);
  if (siblings_) siblings_->join(loop_, this);
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

Status Server::serve_http3(const OriginSpec& spec) {
  HONE_TRY(http3_, Http3Listener::make(this, spec, port()));
  return http3_->start();
}

const wire::Reply* Server::answer_to(std::uint64_t connection, std::uint64_t stream,
                                     const wire::RequestView& request, Instant* last) {
  count_arrival(request, last);
  const Route& route = routes_.find(request.path);
  if (route.spin_turns > 0) spin(route.spin_turns);
  if (route.delay > system::Duration::zero()) {
    delayed_.push_back({loop_->now() + route.delay, connection, stream, route.reply});
    std::push_heap(delayed_.begin(), delayed_.end(), is_later);
    return nullptr;
  }
  if (route.body == Route::Body::kAsGiven) return &route.reply;
  if (route.body == Route::Body::kCounters && siblings_ != nullptr) {
    siblings_->sum(
        this, [this, connection, stream, reply = route.reply](const OriginCounters& sum) mutable {
          reply.body = dump(Json(sum));
          answer(connection, stream, reply);
        });
    return nullptr;
  }
  if (route.body == Route::Body::kGrpcEcho) {
    wire::GrpcReader reader;
    reader.take(request.body);
    if (!reader.has_one_message()) {
      made_ = grpc_trailers_only(wire::kGrpcInvalidArgument);
      return &made_;
    }
  }
  made_ = route.reply;
  made_.body =
      route.body == Route::Body::kCounters ? dump(Json(counters_)) : std::string(request.body);
  return &made_;
}

bool Server::keeps_body(std::string_view path) {
  const Route::Body body = routes_.find(path).body;
  return body == Route::Body::kEcho || body == Route::Body::kGrpcEcho;
}

void Server::count_arrival(const wire::RequestView& request, Instant* last) {
  ++counters_.requests;
  counters_.request_body_bytes += request.body_bytes;
  const Instant now = loop_->now();
  if (*last != Instant{}) counters_.arrival_gaps.record((now - *last).count());
  *last = now;
}

void Server::answer(std::uint64_t connection, std::uint64_t stream, const wire::Reply& reply) {
  if ((connection & kHttp3) != 0) {
    http3_->answer_delayed(connection & ~kHttp3, stream, reply);
    return;
  }
  const auto found = connections_.find(connection);
  if (found != connections_.end()) found->second->answer_delayed(stream, reply);
}

void Server::answer_due(Instant now) {
  for (int i = 0; i < kAnswersPerTurn && !delayed_.empty() && delayed_.front().due <= now; ++i) {
    std::pop_heap(delayed_.begin(), delayed_.end(), is_later);
    const Delayed due = std::move(delayed_.back());
    delayed_.pop_back();
    answer(due.connection, due.stream, due.reply);
  }
}

std::string_view Server::date() {
  if (loop_->now() >= date_until_) {
    const auto now = std::chrono::system_clock::now();
    const auto second = std::chrono::floor<std::chrono::seconds>(now);
    date_ = wire::http_date(second);
    date_until_ = loop_->now() + (second + std::chrono::seconds(1) - now);
  }
  return date_;
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
  answer_due(now);
  if (now >= next_sweep_) sweep(now);
  const Instant due = delayed_.empty() ? Instant::max() : delayed_.front().due;
  const Instant timers = http3_ ? http3_->advance(now) : Instant::max();
  return std::min({due, next_sweep_, listen_again_, timers});
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
