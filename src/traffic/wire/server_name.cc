#include "traffic/wire/server_name.h"

#include "system/ip_address.h"

namespace hone::traffic::wire {

Result<ServerName> server_name(const ClientTlsOptions& options) {
  if (options.verify && options.sni.empty()) {
    return fail(ErrorKind::kUsage, "no name to verify the server's certificate against",
                "give the server's name (--sni), or switch verification off (--insecure)");
  }
  ServerName name{options.sni};
  if (name.text.size() > 2 && name.text.front() == '[' && name.text.back() == ']') {
    name.text = name.text.substr(1, name.text.size() - 2);
  }
  name.is_address = system::is_ip_address(name.text);
  return name;
}

}  // namespace hone::traffic::wire
