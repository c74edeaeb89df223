// Order within one event: bytes in, then the answers to the owner, then the owner's new requests,
// then one write with everything. A write is tried at once and EPOLLOUT asked for only when the
// kernel takes no more, or has taken what one event may give it.
//
// A failed write is not acted on: the loop reports the broken connection at the next turn, after
// what the peer may still have answered has been read. It is remembered, for it took the socket's
// error with it: the read that follows finds a plain end.
//
// Only an end that the peer meant makes a body whole that its close delimits (RFC 9112 9.8): over
// TLS a close_notify, in clear text an end of stream without an error before it.
#include "traffic/load/connection.h"

#include <sys/epoll.h>

#include <cerrno>

#include "system/os_error.h"

namespace hone::traffic::load {

using system::net::Io;
using system::net::IoState;
using wire::Failure;

namespace {

// Written in one event at most, so that one large upload does not keep the others waiting.
constexpr std::size_t kWriteBudget = 1 << 20;

// Plaintext encrypted at once: several records (16 KiB each), and no more than is soon sent.
constexpr std::size_t kEncryptBytes = 128 << 10;

Error ended(std::string what) { return fail(ErrorKind::kNetwork, std::move(what)).value(); }

Failure connect_failure(int code) {
  if (code == ECONNREFUSED) return Failure::kConnectRefused;
  return code == ETIMEDOUT ? Failure::kConnectTimeout : Failure::kConnectFailed;
}

}  // namespace

Status Connection::open() {
  failure_ = Failure::kConnectFailed;
  int code = 0;
  auto socket = system::net::connect_start(context_->target.address, &code);
  if (!socket) {
    failure_ = connect_failure(code);
    return tl::make_unexpected(socket.error());
  }
  socket_ = std::move(*socket);
  if (Status watched = context_->loop->add(socket_.fd(), EPOLLOUT, this); !watched) {
    socket_.close();
    return watched;
  }
  state_ = State::kConnecting;
  full_ = write_failed_ = handshake_counted_ = false;
  retired_ = false;
  answers_ = 0;
  session_ = wire::make_client_session(context_->target.protocol, context_->streams, this);
  if (context_->tls) tls_ = wire::make_tls_channel(context_->tls, context_->draw_resumption());
  return {};
}

void Connection::close() {
  if (state_ == State::kClosed) return;
  if (tls_ && state_ == State::kUp) {
    tls_->close();  // close_notify, as far as the kernel takes it now
    const std::string_view rest = tls_->output();
    if (!full_ && !rest.empty()) system::net::write_some(socket_.fd(), rest);
  }
  context_->loop->remove(socket_.fd());
  socket_.close();
  state_ = State::kClosed;
}

void Connection::fall(Failure failure, const Error& why) {
  failure_ = failure;
  close();
  context_->owner->down(line_, failure, why);
}

int Connection::free_slots() const {
  return state_ == State::kUp && !retired_ ? session_->free_slots() : 0;
}

bool Connection::retire() {
  retired_ = true;
  return session_->open_requests() == 0;
}

void Connection::submit(std::uint64_t id, std::uint16_t request) {
  session_->submit(id, *context_->requests[request]);
}

void Connection::on_response(std::uint64_t id, const wire::ResponseSummary& response) {
  ++answers_;
  context_->owner->answered(line_, id, response);
}

void Connection::on_loss(std::uint64_t id, wire::Loss why, Failure failure) {
  context_->owner->lost(line_, id, why, failure);
}

void Connection::ready(std::uint32_t events) {
  if (state_ == State::kConnecting) {
    finish_connect();
    return;
  }
  if (events & EPOLLOUT) {
    watch(false);
    flush();
    context_->owner->settled(line_);
  }
  if (events & (EPOLLIN | EPOLLHUP | EPOLLERR)) read_once();
}

void Connection::finish_connect() {
  int code = 0;
  if (Status connected = system::net::connect_result(socket_, &code); !connected) {
    fall(connect_failure(code), connected.error());
    return;
  }
  state_ = State::kHandshaking;
  ++context_->connections_made;
  watch(false);
  if (tls_) {
    if (Status started = tls_->start(); !started) {
      fall(Failure::kTls, started.error());
      return;
    }
  } else if (session_->ready()) {
    rise();
  }
  flush();
}

void Connection::rise() {
  state_ = State::kUp;
  context_->owner->up(line_);
}

void Connection::read_once() {
  const Io io =
      system::net::read_some(socket_.fd(), context_->buffer.data(), context_->buffer.size());
  switch (io.state) {
    case IoState::kWouldBlock:
      return;
    case IoState::kFailed:
      // Not an end of input: that would make a whole answer of a body cut off by a reset.
      fall(Failure::kConnectionReset,
           ended("the connection broke: " + system::os_message(io.error)));
      return;
    case IoState::kEnded:
      if (!tls_ && !write_failed_) session_->end_of_input();
      fall(end_of_stream(), ended("the server closed the connection"));
      return;
    case IoState::kMoved:
      break;
  }
  context_->bytes_in += io.bytes;
  const std::string_view bytes(context_->buffer.data(), io.bytes);
  if (Status received = tls_ ? receive_tls(bytes) : receive(bytes); !received) {
    flush();  // the alert or GOAWAY that says why
    fall(failure_, received.error());
    return;
  }
  if (is_spent()) {
    flush();
    fall(session_->failure(), ended("the server ended the connection"));
    return;
  }
  context_->owner->settled(line_);
  flush();
}

// What the peer's end of stream was, once the session has been told of one that it meant.
Failure Connection::end_of_stream() const {
  if (write_failed_) return Failure::kConnectionReset;
  if (state_ == State::kHandshaking) return Failure::kClosedInHandshake;
  if (session_->failure() != Failure::kNone) return session_->failure();
  return session_->open_requests() > 0 ? Failure::kTlsTruncated : Failure::kClosedWhileIdle;
}

Status Connection::receive(std::string_view bytes) {
  if (Status received = session_->receive(bytes); !received) {
    failure_ = session_->failure();
    return received;
  }
  if (state_ == State::kHandshaking && session_->ready()) rise();
  return {};
}

Status Connection::receive_tls(std::string_view cipher) {
  std::string& plain = context_->plain;
  plain.clear();
  Status received = tls_->receive(cipher, &plain);
  if (!handshake_counted_ && tls_->established()) {
    handshake_counted_ = true;
    ++(tls_->resumed() ? context_->handshakes_resumed : context_->handshakes_full);
    if (tls_->offered()) ++context_->handshakes_offered;
    if (wire::is_over_http2(context_->target.protocol)) {
      if (const std::string agreed = tls_->alpn(); agreed != "h2") {
        failure_ = Failure::kAlpn;
        return fail(ErrorKind::kNetwork,
                    "the server does not speak HTTP/2 here: by ALPN it chose " +
                        (agreed.empty() ? "nothing" : agreed),
                    "use h1, or switch HTTP/2 on in the server");
      }
    } else if (state_ == State::kHandshaking) {
      rise();
    }
  }
  // What came ahead of a broken record was sent by the peer.
  if (!plain.empty()) HONE_CHECK(receive(plain));
  if (received && tls_->peer_closed()) session_->end_of_input();
  if (!received) failure_ = Failure::kTls;
  return received;
}

// Nothing more can come of it: the peer's GOAWAY, close or end, or our own limit of requests.
bool Connection::is_spent() const {
  if (session_->open_requests() > 0) return false;
  return session_->closing() || retired_;
}

void Connection::flush() {
  if (full_ || state_ < State::kHandshaking) return;
  std::size_t budget = kWriteBudget;
  for (std::string_view out = output(); !out.empty(); out = output()) {
    const Io io = budget == 0 ? Io{IoState::kWouldBlock, 0, 0}
                              : system::net::write_some(socket_.fd(), out.substr(0, budget));
    if (io.state == IoState::kWouldBlock) {
      watch(true);
      return;
    }
    if (io.state != IoState::kMoved) {
      write_failed_ = true;
      return;
    }
    context_->bytes_out += io.bytes;
    budget -= io.bytes;
    if (tls_) {
      tls_->consume(io.bytes);
    } else {
      session_->consume(io.bytes);
    }
  }
}

std::string_view Connection::output() {
  if (!tls_) return session_->output();
  if (tls_->established() && tls_->output().empty()) {
    const std::string_view plain = session_->output().substr(0, kEncryptBytes);
    // Where it fails the connection is broken: the next read says why.
    if (!plain.empty() && tls_->send(plain)) session_->consume(plain.size());
  }
  return tls_->output();
}

void Connection::watch(bool writable) {
  full_ = writable;
  // It can only fail for want of kernel memory; the request then runs into its timeout.
  (void)context_->loop->change(socket_.fd(), writable ? EPOLLIN | EPOLLOUT : EPOLLIN, this);
}

}  // namespace hone::traffic::load
