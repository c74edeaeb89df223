// UDP_SEGMENT sends a batch as one packet through the whole stack, and UDP_GRO hands it over as
// one: on loopback a body of 64 KiB costs one walk instead of 45. Both are asked for and neither is
// relied on: a kernel or a device without them gets and gives single datagrams.
#include "system/net/datagram.h"

#include <netinet/in.h>
#include <netinet/udp.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

#include "system/net/socket_address.h"
#include "system/os_error.h"

namespace hone::system::net {
namespace {

// A listening socket holds what came for all its peers while the thread is busy; the default
// (212,992 bytes, small datagrams charged with 768 at least) is full after some 250 of them.
constexpr int kKernelBufferBytes = 4 << 20;

// Room for a batch that was put together by the kernel.
constexpr std::size_t kMessageBytes = 64 << 10;

tl::unexpected<Error> datagram_error(const std::string& what, int code) {
  std::string next;
  if (code == EMFILE || code == ENFILE) next = "raise the limit of open files (ulimit -n)";
  return fail(ErrorKind::kNetwork, what + ": " + os_message(code), next);
}

void set_up(int fd) {
  const int on = 1;
  ::setsockopt(fd, IPPROTO_UDP, UDP_GRO, &on, sizeof on);
  // Beyond net.core.rmem_max with the right to it, else up to it.
  const int size = kKernelBufferBytes;
  if (::setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof size) != 0) {
    ::setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof size);
  }
  if (::setsockopt(fd, SOL_SOCKET, SO_SNDBUFFORCE, &size, sizeof size) != 0) {
    ::setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &size, sizeof size);
  }
}

Result<Socket> open_datagram_socket(const Address& address, const SocketAddress& raw) {
  if (is_unix(address)) {
    return fail(ErrorKind::kUsage, "datagrams do not go over " + to_string(address),
                "give an IP address and a port");
  }
  Socket socket(::socket(raw.storage.ss_family, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!socket.open()) return datagram_error("cannot make a socket", errno);
  set_up(socket.fd());
  return socket;
}

bool is_wildcard(const SocketAddress& address) {
  if (address.storage.ss_family == AF_INET6) {
    const auto* v6 = reinterpret_cast<const sockaddr_in6*>(&address.storage);
    return IN6_IS_ADDR_UNSPECIFIED(&v6->sin6_addr);
  }
  return reinterpret_cast<const sockaddr_in*>(&address.storage)->sin_addr.s_addr == INADDR_ANY;
}

// A server that answers from another address than it was asked at is not understood, and the kernel
// would choose one by its routes.
void tell_own_address(int fd, int family) {
  const int on = 1;
  if (family == AF_INET6) {
    ::setsockopt(fd, IPPROTO_IPV6, IPV6_RECVPKTINFO, &on, sizeof on);
  } else {
    ::setsockopt(fd, IPPROTO_IP, IP_PKTINFO, &on, sizeof on);
  }
}

// Room for what goes with a message, out (a size of segments of two bytes) and in (of four).
constexpr std::size_t kControlBytes = CMSG_SPACE(sizeof(in6_pktinfo)) + CMSG_SPACE(sizeof(int));

class Control {  // of one message that is to be sent
 public:
  template <typename T>
  void add(int level, int type, const T& value) {
    auto* head = reinterpret_cast<cmsghdr*>(bytes_.data() + size_);
    head->cmsg_level = level;
    head->cmsg_type = type;
    head->cmsg_len = CMSG_LEN(sizeof value);
    std::memcpy(CMSG_DATA(head), &value, sizeof value);
    size_ += CMSG_SPACE(sizeof value);
  }
  void add_own_address(const PeerAddress& to) {
    if (to.own_length == sizeof(in_addr)) {
      in_pktinfo info{};
      std::memcpy(&info.ipi_spec_dst, to.own.data(), sizeof info.ipi_spec_dst);
      add(IPPROTO_IP, IP_PKTINFO, info);
    } else if (to.own_length == sizeof(in6_addr)) {
      in6_pktinfo info{};
      std::memcpy(&info.ipi6_addr, to.own.data(), sizeof info.ipi6_addr);
      add(IPPROTO_IPV6, IPV6_PKTINFO, info);
    }
  }
  void attach_to(msghdr* message) {
    if (size_ == 0) return;
    message->msg_control = bytes_.data();
    message->msg_controllen = size_;
  }

 private:
  alignas(cmsghdr) std::array<char, kControlBytes> bytes_{};
  std::size_t size_ = 0;
};

// One sendmsg() of a batch with its segments' size. 0, or errno.
int send_together(int fd, std::string_view bytes, std::size_t segment, const PeerAddress* to) {
  iovec piece{const_cast<char*>(bytes.data()), bytes.size()};
  msghdr message{};
  Control control;
  if (to != nullptr) {
    message.msg_name = const_cast<unsigned char*>(to->bytes.data());
    message.msg_namelen = to->length;
    control.add_own_address(*to);
  }
  message.msg_iov = &piece;
  message.msg_iovlen = 1;
  control.add(IPPROTO_UDP, UDP_SEGMENT, static_cast<std::uint16_t>(segment));
  control.attach_to(&message);
  while (::sendmsg(fd, &message, MSG_NOSIGNAL) < 0) {
    if (errno != EINTR) return errno;
  }
  return 0;
}

bool would_block(int code) { return code == EAGAIN || code == EWOULDBLOCK || code == ENOBUFS; }

// EIO: the device cannot do checksums of segments; EINVAL: nor the kernel, or one is too large.
bool cannot_segment(int code) { return code == EIO || code == EINVAL || code == ENOPROTOOPT; }

Io send_singly(int fd, const DatagramBatch& batch, const PeerAddress* to) {
  std::array<iovec, kMostSegments> pieces{};
  std::array<mmsghdr, kMostSegments> messages{};
  Control control;
  if (to != nullptr) control.add_own_address(*to);
  std::size_t count = 0;
  for_each_datagram(batch, [&](std::string_view one) {
    if (count == messages.size()) return;  // the rest with the next call
    pieces[count] = {const_cast<char*>(one.data()), one.size()};
    msghdr& message = messages[count].msg_hdr;
    message.msg_iov = &pieces[count];
    message.msg_iovlen = 1;
    if (to != nullptr) {
      message.msg_name = const_cast<unsigned char*>(to->bytes.data());
      message.msg_namelen = to->length;
      control.attach_to(&message);
    }
    ++count;
  });
  std::size_t bytes = 0;
  for (std::size_t next = 0; next < count;) {
    int sent = ::sendmmsg(fd, &messages[next], static_cast<unsigned>(count - next), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0 && errno == EMSGSIZE) sent = 1;
    if (sent < 0) {
      const int code = errno;
      if (bytes > 0) break;
      if (would_block(code)) return {IoState::kWouldBlock, 0, 0};
      return {IoState::kFailed, 0, code};
    }
    for (; sent > 0; --sent) bytes += pieces[next++].iov_len;
  }
  return {IoState::kMoved, bytes, 0};
}

}  // namespace

Result<Socket> bind_datagrams(const Address& address, bool reuse_port) {
  HONE_TRY(const SocketAddress raw, to_socket_address(address));
  HONE_TRY(Socket socket, open_datagram_socket(address, raw));
  const int on = 1;
  if (reuse_port) ::setsockopt(socket.fd(), SOL_SOCKET, SO_REUSEPORT, &on, sizeof on);
  if (is_wildcard(raw)) tell_own_address(socket.fd(), raw.storage.ss_family);
  if (::bind(socket.fd(), raw.get(), raw.length) != 0) {
    const int code = errno;
    const std::string what = "cannot take the UDP port of " + to_string(address);
    if (code != EADDRINUSE) return datagram_error(what, code);
    return fail(ErrorKind::kPortTaken, what + ": it is taken",
                "end the program that has it or choose another port");
  }
  return socket;
}

Result<Socket> connect_datagrams(const Address& address) {
  HONE_TRY(const SocketAddress raw, to_socket_address(address));
  HONE_TRY(Socket socket, open_datagram_socket(address, raw));
  if (::connect(socket.fd(), raw.get(), raw.length) != 0) {
    const int code = errno;
    if (code == EAGAIN || code == EADDRNOTAVAIL) {
      return fail(ErrorKind::kMachineUnfit,
                  "cannot send to " + to_string(address) + ": no local port is free",
                  "use fewer connections");
    }
    return datagram_error("cannot send to " + to_string(address), code);
  }
  return socket;
}

Io send_batch(int fd, const DatagramBatch& batch, const PeerAddress* to, Packets packets) {
  if (packets == Packets::kSingle || batch.bytes.size() <= batch.segment) {
    return send_singly(fd, batch, to);
  }
  const int code = send_together(fd, batch.bytes, batch.segment, to);
  if (code == 0) return {IoState::kMoved, batch.bytes.size(), 0};
  if (would_block(code)) return {IoState::kWouldBlock, 0, 0};
  if (cannot_segment(code) || code == EMSGSIZE) return send_singly(fd, batch, to);
  return {IoState::kFailed, 0, code};
}

Io DatagramSender::send(int fd, const DatagramBatch& batch, const PeerAddress* to) {
  DatagramBatch rest = batch;
  Io io{IoState::kMoved, 0, 0};
  while (!rest.bytes.empty()) {
    io = send_batch(fd, rest, to, packets_);
    if (io.state != IoState::kMoved) break;
    rest.bytes.remove_prefix(io.bytes);
  }
  if (io.state == IoState::kWouldBlock) {
    held_.assign(rest.bytes);
    held_segment_ = rest.segment;
    held_to_ = to != nullptr ? *to : PeerAddress();
  }
  io.bytes = batch.bytes.size() - rest.bytes.size();
  return io;
}

Io DatagramSender::resend(int fd) {
  const std::string bytes = std::exchange(held_, {});
  const PeerAddress to = held_to_;
  return send(fd, {bytes, held_segment_}, to.length > 0 ? &to : nullptr);
}

namespace {

// From what came with a message: the size of the datagrams that it was put together from, and the
// address that it came to.
void read_control(msghdr* message, Arrival* arrival) {
  arrival->from.own_length = 0;
  arrival->from.own.fill(0);
  const auto keep_own = [arrival](const auto& address) {
    std::memcpy(arrival->from.own.data(), &address, sizeof address);
    arrival->from.own_length = sizeof address;
  };
  for (cmsghdr* head = CMSG_FIRSTHDR(message); head != nullptr; head = CMSG_NXTHDR(message, head)) {
    if (head->cmsg_level == IPPROTO_UDP && head->cmsg_type == UDP_GRO) {
      int segment = 0;
      std::memcpy(&segment, CMSG_DATA(head), sizeof segment);
      if (segment > 0) arrival->batch.segment = static_cast<std::size_t>(segment);
    } else if (head->cmsg_level == IPPROTO_IP && head->cmsg_type == IP_PKTINFO) {
      in_pktinfo info{};
      std::memcpy(&info, CMSG_DATA(head), sizeof info);
      keep_own(info.ipi_spec_dst);
    } else if (head->cmsg_level == IPPROTO_IPV6 && head->cmsg_type == IPV6_PKTINFO) {
      in6_pktinfo info{};
      std::memcpy(&info, CMSG_DATA(head), sizeof info);
      keep_own(info.ipi6_addr);
    }
  }
}

}  // namespace

struct DatagramReader::Buffers {
  struct Slot {
    iovec piece{};
    alignas(cmsghdr) std::array<char, kControlBytes> control{};
    sockaddr_storage from{};
  };
  explicit Buffers(std::size_t messages)
      : bytes(new char[messages * kMessageBytes]), slots(messages), headers(messages) {}

  std::unique_ptr<char[]> bytes;  // touched only as far as messages reach
  std::vector<Slot> slots;
  std::vector<mmsghdr> headers;
};

DatagramReader::DatagramReader(int messages)
    : buffers_(std::make_unique<Buffers>(static_cast<std::size_t>(messages))),
      arrivals_(std::make_unique<Arrival[]>(static_cast<std::size_t>(messages))) {
  for (std::size_t i = 0; i < buffers_->slots.size(); ++i) {
    buffers_->slots[i].piece = {buffers_->bytes.get() + i * kMessageBytes, kMessageBytes};
  }
}

DatagramReader::~DatagramReader() = default;

Io DatagramReader::read(int fd) {
  count_ = 0;
  std::vector<mmsghdr>& headers = buffers_->headers;
  for (std::size_t i = 0; i < headers.size(); ++i) {
    Buffers::Slot& slot = buffers_->slots[i];
    msghdr& message = headers[i].msg_hdr;
    message = {};
    message.msg_name = &slot.from;
    message.msg_namelen = sizeof slot.from;
    message.msg_iov = &slot.piece;
    message.msg_iovlen = 1;
    message.msg_control = slot.control.data();
    message.msg_controllen = slot.control.size();
  }
  int received = -1;
  do {
    received = ::recvmmsg(fd, headers.data(), static_cast<unsigned>(headers.size()), 0, nullptr);
  } while (received < 0 && errno == EINTR);
  if (received < 0) {
    if (errno == EAGAIN || errno == EWOULDBLOCK) return {IoState::kWouldBlock, 0, 0};
    return {IoState::kFailed, 0, errno};
  }
  std::size_t total = 0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(received); ++i) {
    msghdr& message = headers[i].msg_hdr;
    const std::size_t size = headers[i].msg_len;
    if (size == 0 || (message.msg_flags & MSG_TRUNC) != 0) continue;
    Arrival& arrival = arrivals_[count_++];
    arrival.batch = {{static_cast<const char*>(message.msg_iov->iov_base), size}, size};
    read_control(&message, &arrival);
    arrival.from.bytes.fill(0);
    arrival.from.length = std::min<std::uint32_t>(message.msg_namelen, sizeof arrival.from.bytes);
    std::memcpy(arrival.from.bytes.data(), message.msg_name, arrival.from.length);
    total += size;
  }
  return {IoState::kMoved, total, 0};
}

}  // namespace hone::system::net
