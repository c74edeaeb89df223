#include "traffic/wire/failure.h"

namespace hone::traffic::wire {

const char* name(Failure why) {
  switch (why) {
    case Failure::kNone:
    case Failure::kCount:
      break;
    case Failure::kConnectRefused:
      return "connect-refused";
    case Failure::kConnectTimeout:
      return "connect-timeout";
    case Failure::kConnectFailed:
      return "connect-failed";
    case Failure::kTls:
      return "tls";
    case Failure::kAlpn:
      return "alpn";
    case Failure::kClosedInHandshake:
      return "closed-in-handshake";
    case Failure::kCloseAnnounced:
      return "close-announced";
    case Failure::kClosedWhileIdle:
      return "closed-while-idle";
    case Failure::kClosedBeforeAnswer:
      return "closed-before-answer";
    case Failure::kClosedInHead:
      return "closed-in-head";
    case Failure::kClosedInBody:
      return "closed-in-body";
    case Failure::kConnectionReset:
      return "connection-reset";
    case Failure::kTlsTruncated:
      return "tls-truncated";
    case Failure::kGoaway:
      return "goaway";
    case Failure::kRefusedStream:
      return "refused-stream";
    case Failure::kStreamReset:
      return "stream-reset";
    case Failure::kBrokenProtocol:
      return "broken-protocol";
    case Failure::kUnaskedBytes:
      return "unasked-bytes";
    case Failure::kHeadTooLarge:
      return "head-too-large";
    case Failure::kInformationalFlood:
      return "informational-flood";
    case Failure::kFlood:
      return "flood";
    case Failure::kTimeout:
      return "timeout";
  }
  return "none";
}

}  // namespace hone::traffic::wire
