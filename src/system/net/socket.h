// TCP sockets: addresses, listening, connecting, free ports.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace hone::system::net {

class Socket {  // owns the descriptor
 public:
  Socket() = default;
  explicit Socket(int fd) : fd_(fd) {}
  Socket(Socket&& other) noexcept;
  Socket& operator=(Socket&& other) noexcept;
  ~Socket();
  int fd() const { return fd_; }
  bool open() const { return fd_ >= 0; }
  void close();
  void reset();  // closes with RST: nothing lingers in TIME_WAIT, unread bytes are dropped

 private:
  int fd_ = -1;
};

struct Address {  // numeric: "127.0.0.1", "::1", or "unix:/path" with port 0
  std::string host;
  std::uint16_t port = 0;
};
std::string to_string(const Address&);  // "127.0.0.1:80", "[::1]:80"
Result<Address> parse_address(const std::string& text);
// "HOST:PORT" taken apart; the host may still be a name, for resolve().
Result<Address> split_host_port(const std::string& text);
// Names to numbers. All of a name's addresses, in the order in which the system would try them;
// resolve() takes the first. Never empty.
Result<std::vector<Address>> resolve_all(const std::string& host, std::uint16_t port);
Result<Address> resolve(const std::string& host, std::uint16_t port);

// Non-blocking, close-on-exec, TCP_NODELAY. kPortTaken names who holds the port.
Result<Socket> listen(const Address&, bool reuse_port = false);
std::uint16_t local_port(const Socket&);
// The next waiting connection, ready like those above; a closed Socket when none waits.
Result<Socket> accept_next(const Socket& listener);
// `code` is errno when it fails, where given.
Result<Socket> connect_start(const Address&, int* code = nullptr);  // in progress: writable when up
Status connect_result(const Socket&, int* code = nullptr);          // SO_ERROR once writable

// One read() or send(), without waiting.
enum class IoState {
  kMoved,       // `bytes` went over, at least one
  kWouldBlock,  // nothing now: wait for the loop
  kEnded,       // read: the peer's end of stream
  kFailed,      // `error` is errno; the connection is of no more use
};
struct Io {
  IoState state = IoState::kMoved;
  std::size_t bytes = 0;
  int error = 0;
};
Io read_some(int fd, char* buffer, std::size_t size);
Io write_some(int fd, std::string_view bytes);  // never raises SIGPIPE

// Makes sure that `needed` more descriptors can be opened: raises the soft limit as far as the hard
// one, and says how many there are when that is not enough.
Status reserve_descriptors(std::size_t needed);

// What the kernel hands out to connections that name no port of their own.
struct EphemeralPorts {
  int first = 32768, last = 60999;
  bool reused_after_second = false;  // tcp_tw_reuse holds for that peer
  int count() const { return last - first + 1; }
};
EphemeralPorts ephemeral_ports(const Address& peer);
// Whether `open` connections to the peer, and `renewed_per_s` new ones in place of others that this
// side closes, find a port for `duration_s`.
Status check_port_budget(const Address& peer, std::size_t open, double renewed_per_s,
                         double duration_s);
Status check_port_budget(const EphemeralPorts&, const Address& peer, std::size_t open,
                         double renewed_per_s, double duration_s);

// Ports that were free a moment ago on `host`, a number, all different. kUsage when that is no
// address of this machine.
Result<std::vector<std::uint16_t>> free_ports(int count, const std::string& host = "127.0.0.1");
bool port_is_free(std::uint16_t port);  // nothing listens on 127.0.0.1 or any address

// One blocking exchange for readiness checks and counters: status 0 and an error text when the
// connection fails. Plain HTTP/1.1, `limit_s` in all, body bounded to 16 MiB.
struct HttpReply {
  int status = 0;
  std::string body;
  std::string error;
};
HttpReply http_exchange(const std::string& method, const Address&, const std::string& path,
                        double limit_s);
// Whether a TCP connection comes up within the limit.
bool tcp_accepts(const Address&, double limit_s);

}  // namespace hone::system::net
