// Datagrams as values: what goes to and comes from a UDP socket in one piece, and whose it is.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace hone::system {

// Where a datagram came from or goes to, in the kernel's form: a sockaddr_in or sockaddr_in6.
struct PeerAddress {
  alignas(8) std::array<unsigned char, 28> bytes{};  // sizeof(sockaddr_in6)
  std::uint32_t length = 0;
  // The address of this machine that it came to, which the answer is to come from: an in_addr or
  // in6_addr. Known of sockets that are bound to all addresses; of others there is only one.
  std::array<unsigned char, 16> own{};
  std::uint32_t own_length = 0;
  bool operator==(const PeerAddress&) const = default;
};

// Datagrams one behind the other, each of `segment` bytes; the last one may be shorter.
struct DatagramBatch {
  std::string_view bytes;
  std::size_t segment = 0;
};
template <typename Take>
void for_each_datagram(const DatagramBatch& batch, Take take) {
  for (std::string_view rest = batch.bytes; !rest.empty();) {
    const std::string_view one = rest.substr(0, batch.segment);
    rest.remove_prefix(one.size());
    take(one);
  }
}

// What the kernel takes as one batch: UDP_MAX_SEGMENTS of <linux/udp.h>, and the payload of one
// IPv4 datagram, which the batch is until it leaves the machine.
inline constexpr std::size_t kMostSegments = 64;
inline constexpr std::size_t kMostBatchBytes = 65507;

}  // namespace hone::system
