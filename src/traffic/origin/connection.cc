// In one event: read once, answer everything that is whole, write once. A write is tried at once;
// EPOLLOUT is asked for only when the kernel takes no more.
//
// While output waits for the socket nothing is read: a peer that sends without reading fills its
// own buffers, not ours, so a connection holds at most what its session makes ahead (128 KiB) and
// one request.
//
// A connection that broke its protocol is not closed at once: unread bytes would make the kernel
// reset it, and the answer that says why could be lost. It lingers, as in other servers.
#include "traffic/origin/connection.h"

#include <sys/epoll.h>

#include "traffic/origin/server.h"

namespace hone::traffic::origin {

using system::net::Io;
using system::net::IoState;

namespace {

// Written in one event at most, so that one large body does not keep the others waiting.
constexpr std::size_t kWriteBudget = 1 << 20;

// Plaintext encrypted at once: several records (16 KiB each), and no more than is soon sent.
constexpr std::size_t kEncryptBytes = 128 << 10;

// An idle connection outlives the keep-alive of every client and proxy in use (nginx: 60 s to an
// upstream, Envoy: 1 h but reconnecting), and a lost one does not stay for ever.
constexpr system::Duration kIdleLimit = std::chrono::minutes(5);
// What a peer had already sent is here within this; it reads the answer meanwhile.
constexpr system::Duration kLingerLimit = std::chrono::milliseconds(250);

}  // namespace

Connection::Connection(Server* server, std::uint64_t id, system::net::Socket socket)
    : server_(server), id_(id), socket_(std::move(socket)), moved_(server->loop().now()) {
  if (server_->tls() != nullptr) {
    tls_ = wire::make_tls_channel(server_->tls());
  } else {
    session_ = wire::make_server_session(wire::Protocol::kHttp1, this);
  }
}

Connection::~Connection() { server_->loop().remove(socket_.fd()); }

Status Connection::watch() {
  watched_ = EPOLLIN;
  return server_->loop().add(socket_.fd(), watched_, this);
}

void Connection::ready(std::uint32_t events) {
  moved_ = server_->loop().now();
  const bool failed = (events & (EPOLLHUP | EPOLLERR)) != 0;
  if (reading() ? (failed || (events & EPOLLIN) != 0) && !read() : failed) {
    server_->drop(id_);
    return;
  }
  settle();
}

void Connection::answer_delayed(std::uint64_t stream, const wire::Reply& reply) {
  respond(stream, reply);
  settle();
}

bool Connection::expired(system::Instant now) const {
  return now - moved_ >= (lingering() ? kLingerLimit : kIdleLimit);
}

bool Connection::read() {
  const std::span<char> buffer = server_->read_buffer();
  const Io io = system::net::read_some(socket_.fd(), buffer.data(), buffer.size());
  switch (io.state) {
    case IoState::kMoved:
      server_->counters_now().bytes_in += io.bytes;
      if (!lingering()) take({buffer.data(), io.bytes});
      return true;
    case IoState::kWouldBlock:
      return true;
    case IoState::kEnded:
      end_of_input();
      return !lingering();
    case IoState::kFailed:
      break;
  }
  return false;
}

void Connection::take(std::string_view bytes) {
  if (stage_ != Stage::kOpen) return;
  if (tls_ == nullptr) return take_plain(bytes);
  std::string& plain = server_->plain_buffer();
  plain.clear();
  const bool was_established = tls_->established();
  const Status received = tls_->receive(bytes, &plain);
  if (!was_established && tls_->established()) {
    ++server_->counters_now().handshakes;
    const bool http2 = tls_->alpn() == "h2";
    session_ =
        wire::make_server_session(http2 ? wire::Protocol::kHttp2 : wire::Protocol::kHttp1, this);
  }
  if (!plain.empty()) take_plain(plain);
  if (!received) {
    ++server_->counters_now().protocol_errors;
    stage_ = Stage::kBroken;
  } else if (tls_->peer_closed()) {
    end_of_input();
  }
}

void Connection::take_plain(std::string_view bytes) {
  if (session_->receive(bytes)) return;
  ++server_->counters_now().protocol_errors;
  stage_ = Stage::kBroken;
}

void Connection::end_of_input() {
  ended_ = true;
  if (session_ != nullptr) session_->end_of_input();
}

void Connection::on_request(std::uint64_t stream, const wire::RequestView& request) {
  const wire::Reply* reply = server_->answer_to(id_, stream, request, &asked_);
  if (reply != nullptr) respond(stream, *reply);
}

void Connection::on_request_lost(std::uint64_t) {}  // a delayed answer to it finds no stream

bool Connection::keeps_body(const wire::RequestView& head) {
  return server_->keeps_body(head.path);
}

std::string_view Connection::date() { return server_->date(); }

void Connection::respond(std::uint64_t stream, const wire::Reply& reply) {
  if (session_->respond(stream, reply)) ++server_->counters_now().responses;
}

std::string_view Connection::output() {
  if (tls_ == nullptr) return session_->output();
  if (session_ != nullptr && !said_goodbye_ && tls_->output().empty()) {
    const std::string_view plain = session_->output().substr(0, kEncryptBytes);
    if (!plain.empty() && tls_->send(plain)) session_->consume(plain.size());
  }
  return tls_->output();
}

void Connection::consume(std::size_t bytes) {
  if (tls_ == nullptr) {
    session_->consume(bytes);
  } else {
    tls_->consume(bytes);
  }
}

bool Connection::write() {
  std::size_t budget = kWriteBudget;
  blocked_ = false;
  for (std::string_view bytes = output(); !bytes.empty(); bytes = output()) {
    const Io io = budget == 0 ? Io{IoState::kWouldBlock, 0, 0}
                              : system::net::write_some(socket_.fd(), bytes.substr(0, budget));
    if (io.state == IoState::kWouldBlock) {
      blocked_ = true;
      return true;
    }
    if (io.state != IoState::kMoved) return false;
    server_->counters_now().bytes_out += io.bytes;
    budget -= io.bytes;
    consume(io.bytes);
  }
  return true;
}

bool Connection::finished() const {
  if (stage_ != Stage::kOpen) return true;
  return session_ != nullptr ? session_->finished() : ended_;
}

// Sends what there is, then ends the connection or asks the loop for what it now waits for.
void Connection::settle() {
  bool alive = write();
  if (alive && !blocked_ && finished() && !lingering()) {
    if (tls_ != nullptr && !said_goodbye_) {
      said_goodbye_ = true;
      tls_->close();
      alive = write();
    }
    if (stage_ == Stage::kBroken && !ended_) {
      stage_ = Stage::kLingering;
      server_->look_at_lingering();
    } else if (!blocked_) {
      alive = false;
    }
  }
  const std::uint32_t wanted =
      (reading() ? std::uint32_t{EPOLLIN} : 0U) | (blocked_ ? std::uint32_t{EPOLLOUT} : 0U);
  if (alive && wanted != watched_) {
    alive = server_->loop().change(socket_.fd(), wanted, this).has_value();
    watched_ = wanted;
  }
  if (!alive) server_->drop(id_);
}

}  // namespace hone::traffic::origin
