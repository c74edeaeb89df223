#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <iterator>
#include <system_error>

#include "system/net/socket.h"
#include "system/net/socket_address.h"
#include "system/os_error.h"

namespace hone::system::net {
namespace {

std::size_t open_descriptors() {
  std::error_code error;
  const std::filesystem::directory_iterator entries("/proc/self/fd", error);
  if (error) return 64;  // not seen: as many as a small process may have
  return static_cast<std::size_t>(std::distance(begin(entries), end(entries)));
}

}  // namespace

Status reserve_descriptors(std::size_t needed) {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return {};  // unknown: the first socket() tells
  const std::size_t open = open_descriptors();
  const rlim_t wanted = open + needed;
  if (limit.rlim_cur >= wanted) return {};
  if (limit.rlim_max < wanted) {
    const std::size_t left = limit.rlim_max > open ? limit.rlim_max - open : 0;
    return fail(ErrorKind::kMachineUnfit,
                std::to_string(needed) + " more files are needed at once, but the limit leaves " +
                    std::to_string(left),
                "use fewer connections, or raise the limit of open files (ulimit -n " +
                    std::to_string(wanted) + ")");
  }
  // Twice: what runs beside the caller in this process (the origin) accepts connections too.
  limit.rlim_cur = std::min(limit.rlim_max, 2 * wanted);
  if (::setrlimit(RLIMIT_NOFILE, &limit) != 0) {
    return fail(ErrorKind::kPermission,
                std::string("cannot raise the limit of open files: ") + os_message(errno),
                "raise it in the shell (ulimit -n " + std::to_string(wanted) + ")");
  }
  return {};
}

// All are held open until the last one is known, so that no two are the same.
Result<std::vector<std::uint16_t>> free_ports(int count) {
  std::vector<Socket> held;
  std::vector<std::uint16_t> ports;
  HONE_TRY(const SocketAddress any, to_socket_address({"127.0.0.1", 0}));
  for (int i = 0; i < count; ++i) {
    Socket socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (!socket.open() || ::bind(socket.fd(), any.get(), any.length) != 0) {
      return fail(ErrorKind::kNetwork,
                  std::string("cannot find a free port: ") + os_message(errno));
    }
    ports.push_back(local_port(socket));
    held.push_back(std::move(socket));
  }
  return ports;
}

// With SO_REUSEADDR a bind to the unspecified address fails only where somebody listens on the port
// (on whatever address), not for connections in TIME_WAIT.
bool port_is_free(std::uint16_t port) {
  const Result<SocketAddress> any = to_socket_address({"0.0.0.0", port});
  const Socket socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!any || !socket.open()) return false;
  const int on = 1;
  ::setsockopt(socket.fd(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  return ::bind(socket.fd(), any->get(), any->length) == 0;
}

}  // namespace hone::system::net
