#include "traffic/wire/client_session.h"

#include "traffic/wire/http1_client.h"
#include "traffic/wire/http2_client.h"
#include "traffic/wire/http3.h"

namespace hone::traffic::wire {

std::unique_ptr<PreparedRequest> prepare(Protocol protocol, const Request& request) {
  if (protocol == Protocol::kHttp3) return prepare_http3(request);
  if (protocol == Protocol::kHttp2) return std::make_unique<Http2Request>(request);
  return std::make_unique<Http1Request>(request);
}

std::unique_ptr<ClientSession> make_client_session(Protocol protocol, int streams,
                                                   ClientEvents* events) {
  if (protocol == Protocol::kHttp2) return std::make_unique<Http2Client>(streams, events);
  return std::make_unique<Http1Client>(events);
}

}  // namespace hone::traffic::wire
