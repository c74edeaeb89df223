#include <arpa/inet.h>
#include <netdb.h>
#include <sys/un.h>

#include <cstring>
#include <memory>

#include "base/text.h"
#include "system/ip_address.h"
#include "system/net/socket.h"
#include "system/net/socket_address.h"

namespace hone::system::net {
namespace {

constexpr std::string_view kUnixPrefix = "unix:";

tl::unexpected<Error> bad_address(const std::string& text, const std::string& why) {
  return fail(ErrorKind::kUsage, "not an address: \"" + text + "\" (" + why + ")",
              "write HOST:PORT, as in 127.0.0.1:8080 or [::1]:8080, or unix:/path");
}

}  // namespace

std::string to_string(const Address& address) {
  if (is_unix(address)) return address.host;
  const bool v6 = address.host.find(':') != std::string::npos;
  return (v6 ? "[" + address.host + "]" : address.host) + ":" + std::to_string(address.port);
}

Result<Address> split_host_port(const std::string& text) {
  if (text.starts_with(kUnixPrefix)) {
    if (text.size() == kUnixPrefix.size()) return bad_address(text, "no path");
    return Address{text, 0};
  }
  std::string host;
  std::string port;
  if (text.starts_with('[')) {
    const std::size_t end = text.find("]:");
    if (end == std::string::npos) return bad_address(text, "no port after the bracket");
    host = text.substr(1, end - 1);
    port = text.substr(end + 2);
  } else {
    const std::size_t colon = text.rfind(':');
    if (colon == std::string::npos) return bad_address(text, "no port");
    host = text.substr(0, colon);
    port = text.substr(colon + 1);
    if (host.find(':') != std::string::npos) {
      return bad_address(text, "an IPv6 address needs brackets");
    }
  }
  if (host.empty()) return bad_address(text, "no host");
  const Result<long long> number = parse_integer(port);
  if (!number || *number < 0 || *number > 65535) {
    return bad_address(text, "the port is not a number from 0 to 65535");
  }
  return Address{host, static_cast<std::uint16_t>(*number)};
}

Result<Address> parse_address(const std::string& text) {
  HONE_TRY(Address address, split_host_port(text));
  if (!is_unix(address) && !is_ip_address(address.host)) {
    return bad_address(text, "the host is a name, not a number");
  }
  return address;
}

Result<std::vector<Address>> resolve_all(const std::string& host, std::uint16_t port) {
  if (host.starts_with(kUnixPrefix) || is_ip_address(host)) return std::vector{Address{host, port}};
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_ADDRCONFIG;
  addrinfo* found = nullptr;
  const int code = ::getaddrinfo(host.c_str(), nullptr, &hints, &found);
  if (code != 0) {
    return fail(ErrorKind::kNetwork, "cannot resolve " + host + ": " + ::gai_strerror(code),
                "give the address as a number");
  }
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> owned(found, &::freeaddrinfo);
  std::vector<Address> all;
  for (const addrinfo* one = found; one != nullptr; one = one->ai_next) {
    char text[NI_MAXHOST];
    const int named =
        ::getnameinfo(one->ai_addr, one->ai_addrlen, text, sizeof text, nullptr, 0, NI_NUMERICHOST);
    if (named != 0) {
      return fail(ErrorKind::kNetwork, "cannot resolve " + host + ": " + ::gai_strerror(named));
    }
    all.push_back({text, port});
  }
  return all;
}

Result<Address> resolve(const std::string& host, std::uint16_t port) {
  HONE_TRY(std::vector<Address> all, resolve_all(host, port));
  return std::move(all.front());
}

bool is_unix(const Address& address) { return address.host.starts_with(kUnixPrefix); }

Result<SocketAddress> to_socket_address(const Address& address) {
  SocketAddress result;
  if (is_unix(address)) {
    sockaddr_un path{};
    const std::string name = address.host.substr(kUnixPrefix.size());
    if (name.empty() || name.size() >= sizeof path.sun_path) {
      return fail(ErrorKind::kUsage, "the path of the socket " + address.host + " is too long",
                  "a Unix socket's path has at most 107 bytes; use a shorter one");
    }
    path.sun_family = AF_UNIX;
    std::memcpy(path.sun_path, name.data(), name.size());
    std::memcpy(&result.storage, &path, sizeof path);
    result.length = sizeof path;
    return result;
  }
  sockaddr_in v4{};
  sockaddr_in6 v6{};
  if (::inet_pton(AF_INET, address.host.c_str(), &v4.sin_addr) == 1) {
    v4.sin_family = AF_INET;
    v4.sin_port = htons(address.port);
    std::memcpy(&result.storage, &v4, sizeof v4);
    result.length = sizeof v4;
  } else if (::inet_pton(AF_INET6, address.host.c_str(), &v6.sin6_addr) == 1) {
    v6.sin6_family = AF_INET6;
    v6.sin6_port = htons(address.port);
    std::memcpy(&result.storage, &v6, sizeof v6);
    result.length = sizeof v6;
  } else {
    return bad_address(to_string(address), "the host is a name, not a number");
  }
  return result;
}

}  // namespace hone::system::net
