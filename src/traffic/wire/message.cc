#include "traffic/wire/message.h"

namespace hone::traffic::wire {

const char* name(Protocol protocol) {
  switch (protocol) {
    case Protocol::kHttp1:
      return "h1";
    case Protocol::kHttp2:
      return "h2";
    case Protocol::kHttp3:
      return "h3";
    case Protocol::kGrpc:
      return "grpc";
  }
  return "";
}

Result<Protocol> parse_protocol(const std::string& text) {
  if (text == "h1") return Protocol::kHttp1;
  if (text == "h2") return Protocol::kHttp2;
  if (text == "h3") return Protocol::kHttp3;
  if (text == "grpc") return Protocol::kGrpc;
  return fail(ErrorKind::kUsage, "unknown protocol '" + text + "'", "use h1, h2, h3 or grpc");
}

}  // namespace hone::traffic::wire
