#include "traffic/wire/message.h"

namespace hone::traffic::wire {

const char* name(Protocol protocol) { return protocol == Protocol::kHttp2 ? "h2" : "h1"; }

Result<Protocol> parse_protocol(const std::string& text) {
  if (text == "h1") return Protocol::kHttp1;
  if (text == "h2") return Protocol::kHttp2;
  return fail(ErrorKind::kUsage, "unknown protocol '" + text + "'", "use h1 or h2");
}

}  // namespace hone::traffic::wire
