#include "traffic/wire/grpc.h"

#include <algorithm>

namespace hone::traffic::wire {
namespace {

constexpr std::uint8_t kPrefixBytes = 5;

}  // namespace

std::string grpc_message(std::string_view payload) {
  std::string message(1, '\0');  // not compressed
  for (const int shift : {24, 16, 8, 0}) message += static_cast<char>(payload.size() >> shift);
  return message.append(payload);
}

Request grpc_request(Request request) {
  std::erase_if(request.headers, [](const Header& header) {
    return header.name == "content-type" || header.name == "te";
  });
  request.method = "POST";
  request.headers.push_back({"content-type", "application/grpc"});
  request.headers.push_back({"te", "trailers"});
  request.body = grpc_message(request.body);
  return request;
}

int parse_grpc_status(std::string_view text) {
  int status = 0;
  if (text.empty() || text.size() > 2) return kGrpcUnknown;
  for (const char c : text) {
    if (c < '0' || c > '9') return kGrpcUnknown;
    status = status * 10 + (c - '0');
  }
  return status <= kGrpcMostStatus ? status : kGrpcUnknown;
}

void GrpcReader::take(std::string_view bytes) {
  while (!bytes.empty() && !broken_) {
    if (left_ == 0) {
      // More than one is refused whatever comes; this also keeps the count from running over.
      broken_ = ++messages_ > 1 || bytes.front() != 0;
      left_ = kPrefixBytes;
      length_ = prefix_bytes_ = 0;
    }
    while (prefix_bytes_ < kPrefixBytes && !bytes.empty()) {
      length_ = (length_ << 8) | static_cast<std::uint8_t>(bytes.front());
      bytes.remove_prefix(1);
      --left_;
      if (++prefix_bytes_ == kPrefixBytes) left_ = length_;
    }
    if (prefix_bytes_ < kPrefixBytes) return;
    const auto piece = std::min<std::uint64_t>(left_, bytes.size());
    bytes.remove_prefix(static_cast<std::size_t>(piece));
    left_ -= piece;
  }
}

}  // namespace hone::traffic::wire
