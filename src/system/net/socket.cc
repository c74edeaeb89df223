#include "system/net/socket.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include "system/net/socket_address.h"
#include "system/os_error.h"
#include "system/system.h"

namespace hone::system::net {
namespace {

// Connections that may wait to be accepted. The kernel cuts it to net.core.somaxconn; a load that
// connects 4096 at once is still taken in one go.
constexpr int kBacklog = 4096;

tl::unexpected<Error> socket_error(const std::string& what, int code) {
  std::string next;
  if (code == EMFILE || code == ENFILE) next = "raise the limit of open files (ulimit -n)";
  const bool denied = code == EACCES || code == EPERM;
  if (denied) next = "choose a port above 1023, or run with the right to use this one";
  return fail(denied ? ErrorKind::kPermission : ErrorKind::kNetwork, what + ": " + os_message(code),
              next);
}

void set_no_delay(int fd) {
  const int on = 1;
  ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

Result<Socket> open_socket(const Address& address, const SocketAddress& raw) {
  Socket socket(::socket(raw.storage.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!socket.open()) return socket_error("cannot make a socket", errno);
  if (!is_unix(address)) set_no_delay(socket.fd());
  return socket;
}

// A Unix socket's name outlives a listener that was killed, and would be taken for ever.
bool remove_if_left_behind(const Address& address, const SocketAddress& raw) {
  const std::string path = address.host.substr(std::string_view("unix:").size());
  std::error_code ignored;
  if (!std::filesystem::is_socket(path, ignored)) return false;
  const Result<Socket> probe = open_socket(address, raw);
  if (!probe || ::connect(probe->fd(), raw.get(), raw.length) == 0) return false;
  return errno == ECONNREFUSED && ::unlink(path.c_str()) == 0;
}

}  // namespace

Socket::Socket(Socket&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}

Socket& Socket::operator=(Socket&& other) noexcept {
  if (this != &other) {
    close();
    fd_ = std::exchange(other.fd_, -1);
  }
  return *this;
}

Socket::~Socket() { close(); }

void Socket::close() {
  if (fd_ >= 0) ::close(std::exchange(fd_, -1));
}

void Socket::reset() {
  if (fd_ < 0) return;
  const linger at_once{1, 0};
  ::setsockopt(fd_, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  close();
}

Result<Socket> listen(const Address& address, bool reuse_port) {
  HONE_TRY(const SocketAddress raw, to_socket_address(address));
  HONE_TRY(Socket socket, open_socket(address, raw));
  const int on = 1;
  if (!is_unix(address)) {
    ::setsockopt(socket.fd(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (reuse_port) ::setsockopt(socket.fd(), SOL_SOCKET, SO_REUSEPORT, &on, sizeof on);
  }
  const std::string what = "cannot listen on " + to_string(address);
  if (::bind(socket.fd(), raw.get(), raw.length) != 0 || ::listen(socket.fd(), kBacklog) != 0) {
    const int code = errno;
    if (code != EADDRINUSE) return socket_error(what, code);
    if (is_unix(address) && remove_if_left_behind(address, raw)) return listen(address, reuse_port);
    const std::string holder =
        is_unix(address) ? "" : real_system().process_table->listener_of(address.port);
    return fail(ErrorKind::kPortTaken,
                what + ": " + (holder.empty() ? "it is taken" : "it is taken by " + holder),
                "end that program or choose another port");
  }
  return socket;
}

std::uint16_t local_port(const Socket& socket) {
  sockaddr_storage storage{};
  socklen_t length = sizeof storage;
  if (::getsockname(socket.fd(), reinterpret_cast<sockaddr*>(&storage), &length) != 0) return 0;
  if (storage.ss_family == AF_INET) {
    sockaddr_in v4{};
    std::memcpy(&v4, &storage, sizeof v4);
    return ntohs(v4.sin_port);
  }
  if (storage.ss_family == AF_INET6) {
    sockaddr_in6 v6{};
    std::memcpy(&v6, &storage, sizeof v6);
    return ntohs(v6.sin6_port);
  }
  return 0;
}

Result<Socket> accept_next(const Socket& listener) {
  while (true) {
    Socket socket(::accept4(listener.fd(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (socket.open()) {
      set_no_delay(socket.fd());  // refused on a Unix socket, where it is not needed
      return socket;
    }
    // ECONNABORTED: that peer went away again; the next one may be there.
    if (errno == EINTR || errno == ECONNABORTED) continue;
    if (errno == EAGAIN || errno == EWOULDBLOCK) return Socket();
    return socket_error("cannot accept a connection", errno);
  }
}

Result<Socket> connect_start(const Address& address, int* error) {
  HONE_TRY(const SocketAddress raw, to_socket_address(address));
  HONE_TRY(Socket socket, open_socket(address, raw));
  if (::connect(socket.fd(), raw.get(), raw.length) != 0 && errno != EINPROGRESS) {
    const int code = errno;
    if (error != nullptr) *error = code;
    if (code == EADDRNOTAVAIL) {
      return fail(ErrorKind::kMachineUnfit,
                  "cannot connect to " + to_string(address) + ": no local port is free",
                  "wait a minute for closed connections to leave TIME_WAIT, or use fewer");
    }
    return socket_error("cannot connect to " + to_string(address), code);
  }
  return socket;
}

Status connect_result(const Socket& socket, int* error) {
  int code = 0;
  socklen_t length = sizeof code;
  if (::getsockopt(socket.fd(), SOL_SOCKET, SO_ERROR, &code, &length) != 0) code = errno;
  if (error != nullptr) *error = code;
  if (code != 0) return socket_error("cannot connect", code);
  return {};
}

Io read_some(int fd, char* buffer, std::size_t size) {
  while (true) {
    const ssize_t n = ::read(fd, buffer, size);
    if (n > 0) return {IoState::kMoved, static_cast<std::size_t>(n), 0};
    if (n == 0) return {IoState::kEnded, 0, 0};
    if (errno == EINTR) continue;
    if (errno == EAGAIN || errno == EWOULDBLOCK) return {IoState::kWouldBlock, 0, 0};
    return {IoState::kFailed, 0, errno};
  }
}

Io write_some(int fd, std::string_view bytes) {
  while (true) {
    const ssize_t n = ::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (n >= 0) return {IoState::kMoved, static_cast<std::size_t>(n), 0};
    if (errno == EINTR) continue;
    if (errno == EAGAIN || errno == EWOULDBLOCK) return {IoState::kWouldBlock, 0, 0};
    return {IoState::kFailed, 0, errno};
  }
}

}  // namespace hone::system::net
