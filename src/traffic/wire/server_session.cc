#include "traffic/wire/server_session.h"

#include "traffic/wire/http1_server.h"
#include "traffic/wire/http2_server.h"

namespace hone::traffic::wire {

std::unique_ptr<ServerSession> make_server_session(Protocol protocol, ServerEvents* events,
                                                   std::size_t body_limit) {
  if (protocol == Protocol::kHttp2) return std::make_unique<Http2Server>(events, body_limit);
  return std::make_unique<Http1Server>(events, body_limit);
}

}  // namespace hone::traffic::wire
