// The upstream server that a proxying subject talks to; a server of its own as `hone origin`.
//
// Answers: /bytes/N  /headers/COUNT/LENGTH (that many response headers, value length LENGTH)
// /delay/MS/bytes/N  /spin/TURNS/bytes/N (busy before it answers: spin.h)  /status/CODE  /chunked/N
// /chunked/N/trailers  /close/N (ended by close) /early-hints/N  /echo (the request's body back)
// /grpc/... (a unary call: its message back) /grpc/status/N (a call that fails, trailers-only)
// /stats (its counters as JSON, with those of its siblings); anything else 404.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/error.h"
#include "base/histogram.h"
#include "base/json.h"
#include "system/net/loop.h"
#include "system/net/socket.h"
#include "traffic/wire/message.h"

namespace hone::traffic::origin {

class Siblings;

struct OriginSpec {
  system::net::Address listen{"127.0.0.1", 0};  // port 0: any free one
  std::string tls_cert, tls_key;                // both empty: clear text (HTTP/1 and h2c)
  bool reuse_port = false;                      // several origins, one per thread, on one port
  std::string ticket_keys = {};                 // that those origins share; see wire/tls.h
  std::shared_ptr<Siblings> siblings = {};      // those origins; null: it is alone
  bool http3 = false;  // too, on the UDP port of the same number; needs the certificate
};

struct OriginCounters {
  std::uint64_t requests = 0, responses = 0, connections = 0, open_connections = 0;
  std::uint64_t bytes_in = 0, bytes_out = 0, protocol_errors = 0, handshakes = 0;
  std::uint64_t request_body_bytes = 0;  // of whole requests
  // Between the arrivals of two requests in a row on one connection, in ns; 0: by one read. Not of
  // HTTP/3.
  Histogram arrival_gaps = {};
};
void to_json(Json& json, const OriginCounters& counters);  // what /stats answers
void add(OriginCounters* sum, const OriginCounters& one);

// Lives on one loop: made, used and destroyed on that loop's thread.
class Origin {
 public:
  static Result<std::unique_ptr<Origin>> listen(system::net::Loop*, const OriginSpec&);
  virtual ~Origin() = default;
  virtual std::uint16_t port() const = 0;
  virtual OriginCounters counters() const = 0;
};

}  // namespace hone::traffic::origin
