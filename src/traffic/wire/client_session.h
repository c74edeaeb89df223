// The client's side of one connection, for any protocol: bytes in, bytes out, events. No sockets,
// no clock. The load generator drives it. HTTP/3 has datagrams and timers: http3.h, with the same
// events.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/error.h"
#include "traffic/wire/failure.h"
#include "traffic/wire/message.h"

namespace hone::traffic::wire {

// Why a submitted request will have no response.
enum class Loss {
  kReset,        // this stream alone was reset, by the peer or for what it sent (RST_STREAM)
  kUnprocessed,  // the peer says it never looked at it (GOAWAY above the last id, REFUSED_STREAM)
  kConnection,   // the connection ended or broke its protocol before the response was whole
};

// 1xx responses before a final one. Servers send one or two, Go's client took five; without an end
// they would keep a request and its connection busy until the timeout.
inline constexpr int kMaxInformational = 100;

class ClientEvents {
 public:
  virtual ~ClientEvents() = default;
  virtual void on_response(std::uint64_t id, const ResponseSummary&) = 0;
  // `why` decides what becomes of the request, `failure` names it.
  virtual void on_loss(std::uint64_t id, Loss why, Failure failure) = 0;
};

// A request encoded once and submitted many times. Sessions send straight from it: it outlives the
// event of every request submitted with it, or the session.
class PreparedRequest {
 public:
  virtual ~PreparedRequest() = default;
};

class ClientSession {
 public:
  virtual ~ClientSession() = default;

  // Whether it is known how many requests may be open at once: on HTTP/2 once the peer's SETTINGS
  // are in, at once on HTTP/1.
  virtual bool ready() const = 0;
  // How many requests can be submitted now and go out without waiting: 0 or 1 on HTTP/1; on HTTP/2
  // the free streams under our own limit and the peer's. 0 once closing().
  virtual int free_slots() const = 0;
  // `id` is the caller's; it comes back in exactly one event. Precondition: free_slots() > 0.
  virtual void submit(std::uint64_t id, const PreparedRequest&) = 0;
  // Bytes from the peer. An error names the protocol violation; the session is then closing and
  // every open request has been reported as kConnection. Events come from within receive() and
  // end_of_input(); submit() and output() may be called from within an event.
  virtual Status receive(std::string_view bytes) = 0;
  // The peer sent its end of stream, and meant it (not a reset; over TLS a close_notify): completes
  // a close-delimited body, loses everything else open.
  virtual void end_of_input() = 0;
  // Bytes to the peer, valid until the next call of any other function; empty when there are none.
  virtual std::string_view output() = 0;
  virtual void consume(std::size_t bytes) = 0;
  // No further request may be submitted: GOAWAY, "connection: close", an error or the end of input.
  virtual bool closing() const = 0;
  // Why it is closing(): kCloseAnnounced or kGoaway while the peer has done no wrong, what
  // receive() failed with, or where end_of_input() cut things off. kNone otherwise.
  virtual Failure failure() const = 0;
  virtual int open_requests() const = 0;
  // Wants to send (has output()) but the peer's flow-control window is shut.
  virtual bool window_blocked() const = 0;
};

std::unique_ptr<PreparedRequest> prepare(Protocol, const Request&);
// Of HTTP/1 and 2; HTTP/3 has datagrams and is made by make_http3_client (http3.h).
// `streams`: requests open at once, at most (HTTP/1: always 1). `events` outlives the session.
std::unique_ptr<ClientSession> make_client_session(Protocol, int streams, ClientEvents* events);

}  // namespace hone::traffic::wire
