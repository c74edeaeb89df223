// Why a request got no answer, or a connection ended or never came up: what can be told apart from
// the client's side. The names are a contract of `hone load --json`: grow them, do not rename them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace hone::traffic::wire {

enum class Failure : std::uint8_t {
  kNone,  // nothing failed: our own doing
  // A connection that did not come up.
  kConnectRefused,
  kConnectTimeout,     // not up in time, TLS handshake and HTTP/2 SETTINGS included
  kConnectFailed,      // any other reason: no route, no local port
  kTls,                // the handshake or a record failed
  kAlpn,               // the server chose another protocol
  kClosedInHandshake,  // before TLS, or HTTP/2's SETTINGS, were through
  // One that the peer ended, or that ended by itself. A request has the place where it was then,
  // the connection the furthest place of all that were open.
  kCloseAnnounced,  // "connection: close", and everything was answered
  kClosedWhileIdle,
  kClosedBeforeAnswer,
  kClosedInHead,     // after the first byte of an answer or a 1xx
  kClosedInBody,     // after the final head
  kConnectionReset,  // RST, or the kernel gave the connection up
  kTlsTruncated,     // an end without close_notify while something was open
  // HTTP/2: by the peer's word.
  kGoaway,         // above the last stream of a GOAWAY; a connection: ended by one
  kRefusedStream,  // RST_STREAM with REFUSED_STREAM
  kStreamReset,    // any other RST_STREAM
  // The peer's fault, found by us.
  kBrokenProtocol,
  kUnaskedBytes,        // an answer to no request: often a 408 before an idle connection is closed
  kHeadTooLarge,        // head or trailers
  kInformationalFlood,  // 1xx without end
  kFlood,               // PING, SETTINGS and the like without end
  // Given up by us.
  kTimeout,
  kCount,
};

inline constexpr std::size_t kFailures = static_cast<std::size_t>(Failure::kCount);

// How often each has happened.
class FailureCounts {
 public:
  void add(Failure why) { ++counts_[static_cast<std::size_t>(why)]; }
  std::uint64_t operator[](Failure why) const { return counts_[static_cast<std::size_t>(why)]; }

 private:
  std::array<std::uint64_t, kFailures> counts_{};
};

const char* name(Failure why);  // "closed-in-body"; kNone is "none"

}  // namespace hone::traffic::wire
