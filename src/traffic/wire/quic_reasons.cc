#include "traffic/wire/quic_reasons.h"

#include <algorithm>
#include <cstdio>

namespace hone::traffic::wire {
namespace {

// RFC 9114 8.1, from 0x100 on.
constexpr const char* kHttp3Codes[] = {"H3_NO_ERROR",
                                       "H3_GENERAL_PROTOCOL_ERROR",
                                       "H3_INTERNAL_ERROR",
                                       "H3_STREAM_CREATION_ERROR",
                                       "H3_CLOSED_CRITICAL_STREAM",
                                       "H3_FRAME_UNEXPECTED",
                                       "H3_FRAME_ERROR",
                                       "H3_EXCESSIVE_LOAD",
                                       "H3_ID_ERROR",
                                       "H3_SETTINGS_ERROR",
                                       "H3_MISSING_SETTINGS",
                                       "H3_REQUEST_REJECTED",
                                       "H3_REQUEST_CANCELLED",
                                       "H3_REQUEST_INCOMPLETE",
                                       "H3_MESSAGE_ERROR",
                                       "H3_CONNECT_ERROR",
                                       "H3_VERSION_FALLBACK"};
constexpr std::uint64_t kFirstHttp3Code = 0x100;

// RFC 9204 6, from 0x200 on.
constexpr const char* kQpackCodes[] = {"QPACK_DECOMPRESSION_FAILED", "QPACK_ENCODER_STREAM_ERROR",
                                       "QPACK_DECODER_STREAM_ERROR"};
constexpr std::uint64_t kFirstQpackCode = 0x200;

// RFC 9000 20.1, from 0 on.
constexpr const char* kQuicCodes[] = {"NO_ERROR",
                                      "INTERNAL_ERROR",
                                      "CONNECTION_REFUSED",
                                      "FLOW_CONTROL_ERROR",
                                      "STREAM_LIMIT_ERROR",
                                      "STREAM_STATE_ERROR",
                                      "FINAL_SIZE_ERROR",
                                      "FRAME_ENCODING_ERROR",
                                      "TRANSPORT_PARAMETER_ERROR",
                                      "CONNECTION_ID_LIMIT_ERROR",
                                      "PROTOCOL_VIOLATION",
                                      "INVALID_TOKEN",
                                      "APPLICATION_ERROR",
                                      "CRYPTO_BUFFER_EXCEEDED",
                                      "KEY_UPDATE_ERROR",
                                      "AEAD_LIMIT_REACHED",
                                      "NO_VIABLE_PATH"};
// RFC 9001 4.8: the alert in the last eight bits.
constexpr std::uint64_t kFirstAlert = 0x100, kLastAlert = 0x1ff;
constexpr std::uint64_t kNoApplicationProtocol = kFirstAlert + 120;  // RFC 7301 3.2
constexpr std::uint64_t kConnectionRefused = 2;

// A reason may be as long as a datagram; a message is read by people.
constexpr std::size_t kMostReasonBytes = 200;

std::string unknown_code(std::uint64_t code) {
  char text[32];
  std::snprintf(text, sizeof text, "error 0x%llx", static_cast<unsigned long long>(code));
  return text;
}

template <std::size_t kCount>
bool is_among(const char* const (&)[kCount], std::uint64_t first, std::uint64_t code) {
  return code >= first && code - first < kCount;
}

}  // namespace

std::string http3_code_name(std::uint64_t code) {
  if (is_among(kHttp3Codes, kFirstHttp3Code, code)) return kHttp3Codes[code - kFirstHttp3Code];
  if (is_among(kQpackCodes, kFirstQpackCode, code)) return kQpackCodes[code - kFirstQpackCode];
  return unknown_code(code);
}

std::string quic_code_name(std::uint64_t code) {
  if (is_among(kQuicCodes, 0, code)) return kQuicCodes[code];
  if (code >= kFirstAlert && code <= kLastAlert) {
    return "TLS alert " + std::to_string(code - kFirstAlert);
  }
  return unknown_code(code);
}

Failure handshake_failure(std::uint64_t quic_code) {
  if (quic_code == kNoApplicationProtocol) return Failure::kAlpn;
  if (quic_code >= kFirstAlert && quic_code <= kLastAlert) return Failure::kTls;
  return quic_code == kConnectionRefused ? Failure::kConnectRefused : Failure::kClosedInHandshake;
}

std::string printable(std::string_view text) {
  std::string clean(text.substr(0, kMostReasonBytes));
  std::replace_if(clean.begin(), clean.end(), [](char c) { return c < 0x20 || c == 0x7f; }, '?');
  return clean;
}

}  // namespace hone::traffic::wire
