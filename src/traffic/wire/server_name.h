// The server's name as a TLS client sends and verifies it, whichever library does so.
#pragma once

#include <string>

#include "base/error.h"
#include "traffic/wire/tls.h"

namespace hone::traffic::wire {

struct ServerName {
  std::string text;         // an address without the brackets that it has in a URL
  bool is_address = false;  // which is verified, but not sent (RFC 6066 3)
};

// Of the options' `sni`. kUsage: there is none, and the certificate is to be verified against it.
Result<ServerName> server_name(const ClientTlsOptions& options);

}  // namespace hone::traffic::wire
