// UDP sockets: a batch of datagrams out in one system call, all that wait in one. QUIC runs on it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "base/error.h"
#include "system/net/socket.h"

namespace hone::system::net {

// Where a datagram came from or goes to, in the kernel's form: a sockaddr_in or sockaddr_in6.
struct PeerAddress {
  alignas(8) std::array<unsigned char, 28> bytes{};  // sizeof(sockaddr_in6)
  std::uint32_t length = 0;
  bool operator==(const PeerAddress&) const = default;
};
Result<PeerAddress> to_peer_address(const Address&);  // not of a Unix socket

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

// Both are non-blocking and close-on-exec. With SO_REUSEPORT the kernel deals datagrams out by the
// hash of both addresses and ports: a peer that keeps its port stays with the socket it has met.
// kPortTaken: someone else has the port.
Result<Socket> bind_datagrams(const Address&, bool reuse_port = false);
// Receives from that peer only, and learns by errors that nobody listens there.
Result<Socket> connect_datagrams(const Address&);

// Sends one batch of at most the sizes above; `to` is null on a connected socket. kMoved: `bytes`
// of it, whole datagrams, were taken, which is less than all only where the kernel cannot send a
// batch at once. A datagram above the path's MTU counts as sent: it is lost, as on the way.
Io send_batch(int fd, const DatagramBatch&, const PeerAddress* to = nullptr);

struct Arrival {
  DatagramBatch batch;  // of one sender
  PeerAddress from;
};

// The buffers of one thread, for any number of sockets.
class DatagramReader {
 public:
  explicit DatagramReader(int messages);  // taken by one read(), each a batch
  ~DatagramReader();
  DatagramReader(const DatagramReader&) = delete;
  DatagramReader& operator=(const DatagramReader&) = delete;

  // One system call. kMoved: arrivals() holds what came, `bytes` in all. kFailed with ECONNREFUSED:
  // on a connected socket, nobody listens there.
  Io read(int fd);
  std::span<const Arrival> arrivals() const { return {arrivals_.get(), count_}; }  // until read()

 private:
  struct Buffers;
  std::unique_ptr<Buffers> buffers_;
  std::unique_ptr<Arrival[]> arrivals_;
  std::size_t count_ = 0;
};

}  // namespace hone::system::net
