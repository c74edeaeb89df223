// The words of gRPC over HTTP/2 that unary calls need: a message with its prefix, a reader of what
// comes back, the status. See PROTOCOL-HTTP2.md in gRPC's repository.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "traffic/wire/message.h"

namespace hone::traffic::wire {

inline constexpr int kGrpcOk = 0;
inline constexpr int kGrpcUnknown = 2;  // also that of an answer without a status
inline constexpr int kGrpcInvalidArgument = 3;
inline constexpr int kGrpcMostStatus = 16;  // UNAUTHENTICATED, the last one there is

// The prefix of five bytes (not compressed, length) and the message itself. Precondition: below
// 4 GiB.
std::string grpc_message(std::string_view payload);

// The call that `request` stands for: its body as the message, whatever its method.
Request grpc_request(Request request);

// A status that is no number, or none that gRPC has, is kGrpcUnknown, as its clients take it.
int parse_grpc_status(std::string_view text);

// Reads a stream of messages at any split, and keeps none of it.
class GrpcReader {
 public:
  void take(std::string_view bytes);
  // Exactly one message came, whole and not compressed: we offer no compression.
  bool has_one_message() const { return !broken_ && messages_ == 1 && left_ == 0; }

 private:
  std::uint32_t messages_ = 0;     // begun, with the first byte of their prefix
  std::uint64_t left_ = 0;         // bytes of the one that has begun, its prefix included
  std::uint32_t length_ = 0;       // as far as its prefix is in
  std::uint8_t prefix_bytes_ = 0;  // of it that are in
  bool broken_ = false;
};

}  // namespace hone::traffic::wire
