#include "subject/url.h"

#include "base/text.h"
#include "system/net/socket.h"

namespace hone::subject {

Result<Url> parse_url(const std::string& text) {
  const auto refuse = [&](const std::string& why) {
    return fail(ErrorKind::kUsage, "'" + text + "' is not a URL hone can use: " + why,
                "write it as http://HOST:PORT/PATH or https://HOST:PORT/PATH");
  };
  Url url;
  std::string rest;
  if (text.starts_with("http://")) {
    rest = text.substr(7);
  } else if (text.starts_with("https://")) {
    url.tls = true;
    rest = text.substr(8);
  } else {
    return refuse("it does not begin with http:// or https://");
  }
  rest = rest.substr(0, rest.find('#'));
  const auto authority_end = rest.find_first_of("/?");
  std::string authority = rest.substr(0, authority_end);
  if (authority_end != std::string::npos) {
    url.path = rest.substr(authority_end);
    if (url.path[0] == '?') url.path = "/" + url.path;
  }
  if (authority.find('@') != std::string::npos) return refuse("user names are not taken");
  std::string port;
  if (authority.starts_with("[")) {
    const auto close = authority.find(']');
    if (close == std::string::npos) return refuse("'[' without ']'");
    url.host = authority.substr(1, close - 1);
    const std::string after = authority.substr(close + 1);
    if (!after.empty() && after[0] != ':') return refuse("text after ']'");
    port = after.empty() ? "" : after.substr(1);
  } else {
    const auto colon = authority.find(':');
    url.host = authority.substr(0, colon);
    if (colon != std::string::npos) port = authority.substr(colon + 1);
  }
  if (url.host.empty()) return refuse("it names no host");
  url.port = url.tls ? 443 : 80;
  if (!port.empty()) {
    const auto number = parse_integer(port);
    if (!number || *number < 1 || *number > 65535) {
      return refuse("'" + port + "' is not a port (1 to 65535)");
    }
    url.port = static_cast<std::uint16_t>(*number);
  }
  return url;
}

std::string to_string(const Url& url) {
  return (url.tls ? "https://" : "http://") + to_string(system::net::Address{url.host, url.port}) +
         url.path;
}

}  // namespace hone::subject
