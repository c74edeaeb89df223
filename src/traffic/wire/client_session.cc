#include "traffic/wire/client_session.h"

#include "traffic/wire/grpc.h"
#include "traffic/wire/http1_client.h"
#include "traffic/wire/http2_client.h"
#include "traffic/wire/http3.h"

namespace hone::traffic::wire {

std::unique_ptr<PreparedRequest> prepare(Protocol protocol, const Request& request) {
  if (protocol == Protocol::kHttp3) return prepare_http3(request);
  if (protocol == Protocol::kHttp2) return std::make_unique<Http2Request>(request);
  if (protocol == Protocol::kGrpc) return std::make_unique<Http2Request>(grpc_request(request));
  return std::make_unique<Http1Request>(request);
}

std::unique_ptr<ClientSession> make_client_session(Protocol protocol, int streams,
                                                   ClientEvents* events) {
  if (is_over_http2(protocol)) {
    const auto carries = protocol == Protocol::kGrpc ? Http2Carries::kGrpc : Http2Carries::kHttp;
    return std::make_unique<Http2Client>(streams, events, carries);
  }
  return std::make_unique<Http1Client>(events);
}

}  // namespace hone::traffic::wire
