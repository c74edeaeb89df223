// The server's side of one connection, for any protocol. The origin drives it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "traffic/wire/message.h"

namespace hone::traffic::wire {

// How the end of an answer's body is told. HTTP/2 has its own framing: kLength and kChunked differ
// in the content-length header only, kClose is a plain end of stream followed by GOAWAY.
enum class Framing { kLength, kChunked, kClose };

struct Reply {
  int status = 200;
  std::vector<Header> headers;  // without length and framing headers
  // The body is `body` when that is set, else `body_length` bytes of filler (letters, no zeros).
  std::string body;
  std::uint64_t body_length = 0;
  Framing framing = Framing::kLength;
  std::vector<Header> trailers;  // with kChunked or HTTP/2 only
  int early_hints = 0;           // 103 responses sent before this one
  bool close = false;            // end the connection after this answer
};

struct RequestView {  // valid during on_request only
  std::string_view method;
  std::string_view path;
  std::string_view authority;
  const std::vector<Header>* headers = nullptr;
  std::string_view body;  // where keeps_body() asked for it; bounded by the session's body limit
  std::uint64_t body_bytes = 0;  // that came, kept or not
};

class ServerEvents {
 public:
  virtual ~ServerEvents() = default;
  // Asked of a request that has a body, before that comes: whether on_request is to have it. One
  // that is not kept is counted and has no limit.
  virtual bool keeps_body(const RequestView&) { return true; }
  // A whole request. Answer now or later, with ServerSession::respond(stream, ...).
  virtual void on_request(std::uint64_t stream, const RequestView&) = 0;
  // The peer reset a request that has no answer yet, or went away: respond() would do nothing.
  virtual void on_request_lost(std::uint64_t stream) = 0;
  // The Date header of an answer that is made now; empty: it has none.
  virtual std::string_view date() { return {}; }
};

class ServerSession {
 public:
  virtual ~ServerSession() = default;
  // In any order; answers to pipelined requests leave in the order of the requests. False, and
  // nothing happens, for a stream that is gone or answered.
  virtual bool respond(std::uint64_t stream, const Reply&) = 0;
  // An error names what the peer did wrong. The session takes no further request then, but still
  // owes its output(): HTTP/1's 400, HTTP/2's GOAWAY. Close once finished().
  virtual Status receive(std::string_view bytes) = 0;
  // The peer sent its end of stream. HTTP/1 still answers what it was asked.
  virtual void end_of_input() = 0;
  virtual std::string_view output() = 0;  // valid until the next call of any other function
  virtual void consume(std::size_t bytes) = 0;
  // Everything owed is sent and no further request is taken: the connection can be closed.
  virtual bool finished() const = 0;
};

// kHttp1 also upgrades to HTTP/2 when the connection preface of HTTP/2 comes first (prior
// knowledge), so one clear-text listener serves both. Bodies above `body_limit` bytes are refused
// with 413 (HTTP/1) or a stream reset (HTTP/2).
std::unique_ptr<ServerSession> make_server_session(Protocol, ServerEvents* events,
                                                   std::size_t body_limit = 16 << 20);

}  // namespace hone::traffic::wire
