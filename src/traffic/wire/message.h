// What a request and a response are, whatever the protocol on the wire.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/json.h"

namespace hone::traffic::wire {

enum class Protocol { kHttp1, kHttp2, kHttp3, kGrpc };  // kGrpc: unary, over HTTP/2
NLOHMANN_JSON_SERIALIZE_ENUM(Protocol, {{Protocol::kHttp1, "h1"},
                                        {Protocol::kHttp2, "h2"},
                                        {Protocol::kHttp3, "h3"},
                                        {Protocol::kGrpc, "grpc"}})
inline bool is_over_http2(Protocol protocol) {
  return protocol == Protocol::kHttp2 || protocol == Protocol::kGrpc;
}
const char* name(Protocol protocol);  // "h1", "h2", "h3", "grpc"
Result<Protocol> parse_protocol(const std::string& text);

struct Header {
  std::string name;  // lower case
  std::string value;
  bool operator==(const Header&) const = default;
};
HONE_JSON(Header)

struct Request {
  std::string method = "GET";
  std::string scheme = "http";
  std::string authority;  // host[:port]
  std::string path = "/";
  std::vector<Header> headers;  // without host, content-length and the like
  std::string body;             // sent whole, with its length
};

// A final response as the client saw it. 1xx before it are skipped and counted.
struct ResponseSummary {
  int status = 0;
  std::uint64_t body_bytes = 0;
  int informational = 0;  // 1xx responses before this one
  bool grpc = false;      // it answers a gRPC call, and grpc_status holds where `status` is 200
  int grpc_status = 0;

  bool ok() const {
    return grpc ? status == 200 && grpc_status == 0 : status >= 200 && status < 400;
  }
};

}  // namespace hone::traffic::wire
