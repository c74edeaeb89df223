// HTTP/3 over QUIC version 1: datagrams in, datagrams out, events. No sockets and no clock: time
// comes in as an argument, and when to come back goes out as a value.
//
// An optional component (ngtcp2 0.12, nghttp3 0.8, GnuTLS), which stays behind this header. Without
// it everything else builds, and whatever would make a session here is refused with what to
// install.
//
// A connection stays on the two addresses it began with. Neither side migrates: what the kernel
// deals out by addresses and ports (SO_REUSEPORT) then stays on one thread.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/error.h"
#include "system/clock.h"
#include "system/datagram_batch.h"
#include "traffic/wire/client_session.h"
#include "traffic/wire/server_session.h"
#include "traffic/wire/tls.h"

namespace hone::traffic::wire {

bool http3_is_built();
// Says which packages to install.
tl::unexpected<Error> http3_is_missing();

// Credentials, and on a client the newest session ticket: one per target or listener, as TlsContext
// is. Used by one thread.
class QuicContext {
 public:
  // Offers "h3" by ALPN, whatever the options' protocol.
  static Result<std::shared_ptr<QuicContext>> client(const ClientTlsOptions&);
  // `ticket_keys` as in TlsContext::server(); they also make the tokens of stateless resets.
  static Result<std::shared_ptr<QuicContext>> server(const std::string& cert_file,
                                                     const std::string& key_file,
                                                     const std::string& ticket_keys = {});
  virtual ~QuicContext() = default;
};

// A request for Http3Client::submit(); see client_session.h.
std::unique_ptr<PreparedRequest> prepare_http3(const Request&);

// The client's side of one connection: what ClientSession is for byte streams.
class Http3Client {
 public:
  virtual ~Http3Client() = default;

  // The handshake is done, and the peer lets streams be opened.
  virtual bool ready() const = 0;
  virtual bool resumed() const = 0;  // of the TLS session; once ready()
  virtual bool offered() const = 0;  // a ticket, whatever the server makes of it
  // The free streams under our own limit and the peer's, which it raises as streams end.
  virtual int free_slots() const = 0;
  virtual void submit(std::uint64_t id, const PreparedRequest&) = 0;  // as ClientSession's
  // Datagrams from the peer. Events come from within; submit() may be called from within an event,
  // write() not. An error names why the connection is over: every open request has been reported
  // as kConnection, and write() may still have a last word for the peer.
  virtual Status receive(const system::DatagramBatch&, system::Instant now) = 0;
  // When expire() wants to be called; Instant::max(): not by itself. Moves with every other call.
  virtual system::Instant expiry() const = 0;
  virtual Status expire(system::Instant now) = 0;  // errors and events as receive()'s
  // Makes the next datagrams for the peer in `buffer` (kMostBatchBytes of it are used at most);
  // empty when there are none now. What was made counts as sent.
  virtual system::DatagramBatch write(system::Instant now, std::span<char> buffer) = 0;
  // Says goodbye: write() has that and nothing else from now on.
  virtual void close() = 0;
  virtual bool closing() const = 0;     // GOAWAY, an error, or the end
  virtual Failure failure() const = 0;  // why it is closing(), as ClientSession's
  virtual int open_requests() const = 0;
  virtual bool window_blocked() const = 0;
};

// `events` outlives it. `resume`: it offers the context's last ticket, where that has one.
Result<std::unique_ptr<Http3Client>> make_http3_client(std::shared_ptr<QuicContext>, int streams,
                                                       ClientEvents* events, system::Instant now,
                                                       bool resume = true);

// Who asks. Connections are numbered from 1 and never again.
struct Http3Caller {
  std::uint64_t connection = 0;
  system::Instant asked{};  // for the one who gets the events to keep: when the last request came
};

// As ServerEvents, for all connections of one port.
class Http3ServerEvents {
 public:
  virtual ~Http3ServerEvents() = default;
  virtual void on_connected(std::uint64_t connection) = 0;  // the handshake is done
  // It has been connected, and is over; `broken`: the peer violated a protocol.
  virtual void on_disconnected(std::uint64_t connection, bool broken) = 0;
  // One that came to nothing, by what the peer sent or by its alert; not by its silence.
  virtual void on_handshake_failed() = 0;
  virtual bool keeps_body(const RequestView&) { return true; }  // as ServerEvents::keeps_body()
  virtual void on_request(Http3Caller* caller, std::uint64_t stream, const RequestView&) = 0;
  virtual void on_request_lost(std::uint64_t connection, std::uint64_t stream) = 0;
  virtual std::string_view date() { return {}; }  // as ServerEvents::date()
};

// The server's side of one UDP port: tells connections apart, and answers what belongs to none.
class Http3Server {
 public:
  virtual ~Http3Server() = default;

  // Events come from within; respond() may be called from within an event, write() not.
  virtual void receive(const system::DatagramBatch&, const system::PeerAddress& from,
                       system::Instant now) = 0;
  virtual system::Instant expiry() const = 0;
  virtual void expire(system::Instant now) = 0;
  // As ServerSession::respond().
  virtual bool respond(std::uint64_t connection, std::uint64_t stream, const Reply&) = 0;
  struct Output {
    system::DatagramBatch batch;
    const system::PeerAddress* to = nullptr;  // valid until the next call
  };
  // The next batch in `buffer`, of one connection after the other; empty when there is none now.
  virtual Output write(system::Instant now, std::span<char> buffer) = 0;
  virtual void close() = 0;  // ends every connection: write() has their goodbyes
};

Result<std::unique_ptr<Http3Server>> make_http3_server(std::shared_ptr<QuicContext>,
                                                       Http3ServerEvents* events,
                                                       std::size_t body_limit = 16 << 20);

}  // namespace hone::traffic::wire
