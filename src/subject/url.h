// http:// and https:// URLs with a numeric or named host: the little that hone needs of them.
#pragma once

#include <cstdint>
#include <string>

#include "base/error.h"

namespace hone::subject {

struct Url {
  bool tls = false;
  std::string host;        // without brackets
  std::uint16_t port = 0;  // 80 or 443 when the text names none
  std::string path = "/";  // with the query; the fragment is dropped
};

std::string to_string(const Url&);  // always with its port

// kUsage when it is not such a URL.
Result<Url> parse_url(const std::string& text);

}  // namespace hone::subject
