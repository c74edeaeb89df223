// The fields of a request as HTTP/2 and HTTP/3 send them.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "traffic/wire/message.h"

namespace hone::traffic::wire {

// RFC 9113 8.2.2, RFC 9114 4.2: what is about a connection stays in HTTP/1, and host and length are
// told otherwise.
inline bool belongs_to_http1(std::string_view name) {
  for (const std::string_view other : {"host", "content-length", "transfer-encoding", "connection",
                                       "keep-alive", "proxy-connection", "upgrade"}) {
    if (name == other) return true;
  }
  return false;
}

// Calls add(name, value) for each, in order. The texts lie in *request (whose names it makes lower
// case) and *length, which it fills.
template <typename Add>
void for_each_field(Request* request, std::string* length, Add add) {
  add(":method", request->method);
  add(":scheme", request->scheme);
  add(":authority", request->authority);
  add(":path", request->path);
  for (Header& header : request->headers) {
    std::transform(header.name.begin(), header.name.end(), header.name.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; });
    if (!belongs_to_http1(header.name)) add(header.name, header.value);
  }
  if (!request->body.empty()) {
    *length = std::to_string(request->body.size());
    add("content-length", *length);
  }
}

}  // namespace hone::traffic::wire
