// Built in place of the http3_*.cc and quic_*.cc files where their libraries are not there.
#include "traffic/wire/http3.h"

namespace hone::traffic::wire {

bool http3_is_built() { return false; }

Result<std::shared_ptr<QuicContext>> QuicContext::client(const ClientTlsOptions&) {
  return http3_is_missing();
}

Result<std::shared_ptr<QuicContext>> QuicContext::server(const std::string&, const std::string&,
                                                         const std::string&) {
  return http3_is_missing();
}

std::unique_ptr<PreparedRequest> prepare_http3(const Request&) { return nullptr; }

// By value, as the ones that they stand in for.
// NOLINTBEGIN(performance-unnecessary-value-param)
Result<std::unique_ptr<Http3Client>> make_http3_client(std::shared_ptr<QuicContext>, int,
                                                       ClientEvents*, system::Instant, bool) {
  return http3_is_missing();
}

Result<std::unique_ptr<Http3Server>> make_http3_server(std::shared_ptr<QuicContext>,
                                                       Http3ServerEvents*, std::size_t) {
  return http3_is_missing();
}

// NOLINTEND(performance-unnecessary-value-param)

}  // namespace hone::traffic::wire
