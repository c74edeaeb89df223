#include "system/ip_address.h"

#include <arpa/inet.h>

namespace hone::system {

bool is_ip_address(const std::string& text) {
  in6_addr unused{};
  return ::inet_pton(AF_INET, text.c_str(), &unused) == 1 ||
         ::inet_pton(AF_INET6, text.c_str(), &unused) == 1;
}

}  // namespace hone::system
