// UDP sockets: a batch of datagrams out in one system call, all that wait in one. QUIC runs on it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "base/error.h"
#include "system/datagram_batch.h"
#include "system/net/socket.h"

namespace hone::system::net {

// Both are non-blocking and close-on-exec. On the wildcard address, what arrives tells which
// address it came to (PeerAddress::own). With SO_REUSEPORT the kernel deals datagrams out by the
// hash of both addresses and ports: a peer that keeps its port stays with the socket it has met.
// kPortTaken: someone else has the port.
Result<Socket> bind_datagrams(const Address&, bool reuse_port = false);
// Receives from that peer only, and learns by errors that nobody listens there.
Result<Socket> connect_datagrams(const Address&);

// Sends one batch of at most the sizes above; `to` is null on a connected socket. kMoved: `bytes`
// of it, whole datagrams, were taken, which may be less than all where each is a packet of its own.
// A datagram above the path's MTU counts as sent: it is lost, as on the way.
enum class Packets {
  kTogether,  // through the stack as one packet, where the kernel can
  kSingle,    // on loopback a receiver may get that packet whole: for one that cannot take it
};
Io send_batch(int fd, const DatagramBatch&, const PeerAddress* to, Packets packets);

// Sends batches on one socket and holds back what the kernel does not take: QUIC counts what was
// made as sent. While something is held back, nothing else is to be sent.
class DatagramSender {
 public:
  explicit DatagramSender(Packets packets) : packets_(packets) {}
  // kMoved: all of it is gone. kWouldBlock: the rest is held back until resend(), once the socket
  // is writable. kFailed: the rest is lost. `bytes` were taken in any case.
  Io send(int fd, const DatagramBatch&, const PeerAddress* to);
  Io resend(int fd);  // kMoved, too, where nothing is held back
  void clear() { held_.clear(); }

 private:
  const Packets packets_;
  std::string held_;
  std::size_t held_segment_ = 0;
  PeerAddress held_to_;  // of length 0: the socket is connected
};

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
