#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <filesystem>
#include <fstream>
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

EphemeralPorts ephemeral_ports(const Address& peer) {
  EphemeralPorts ports;  // the kernel's defaults, where it does not tell
  std::ifstream range("/proc/sys/net/ipv4/ip_local_port_range");
  int first = 0, last = 0;
  if (range >> first >> last && first <= last) ports.first = first, ports.last = last;
  // ip-sysctl: 0 never, 1 for every peer, 2 on the loopback only (the default).
  int reuse = 2;
  if (std::ifstream file("/proc/sys/net/ipv4/tcp_tw_reuse"); !(file >> reuse)) reuse = 2;
  const bool loopback = peer.host.starts_with("127.") || peer.host == "::1";
  ports.reused_after_second = reuse == 1 || (reuse == 2 && loopback);
  return ports;
}

Status check_port_budget(const Address& peer, std::size_t open, double renewed_per_s,
                         double duration_s) {
  if (peer.host.starts_with("unix:")) return {};
  return check_port_budget(ephemeral_ports(peer), peer, open, renewed_per_s, duration_s);
}

Status check_port_budget(const EphemeralPorts& ports, const Address& peer, std::size_t open,
                         double renewed_per_s, double duration_s) {
  // Linux's TCP_TIMEWAIT_LEN, fixed in the kernel; with tcp_tw_reuse a port may be taken again one
  // second after its connection's last word (timestamps tell the two apart).
  const double rest_s = ports.reused_after_second ? 1 : 60;
  const double resting = renewed_per_s * std::min(rest_s, duration_s);
  const double needed = static_cast<double>(open) + resting;
  if (needed <= ports.count()) return {};
  const auto text = [](double number) { return std::to_string(std::llround(number)); };
  return fail(ErrorKind::kMachineUnfit,
              text(renewed_per_s) + " new connections per second to " + to_string(peer) + " need " +
                  text(needed) + " ports, " + text(resting) +
                  " of them waiting out TIME_WAIT, and this machine hands out " +
                  std::to_string(ports.count()) + " (" + std::to_string(ports.first) + " to " +
                  std::to_string(ports.last) + ")",
              "use fewer new connections, a shorter run, or more ports (sysctl "
              "net.ipv4.ip_local_port_range=\"1024 65535\")" +
                  std::string(ports.reused_after_second
                                  ? ""
                                  : "; net.ipv4.tcp_tw_reuse=1 frees each after a second"));
}

// All are held open until the last one is known, so that no two are the same.
Result<std::vector<std::uint16_t>> free_ports(int count, const std::string& host) {
  std::vector<Socket> held;
  std::vector<std::uint16_t> ports;
  HONE_TRY(const SocketAddress any, to_socket_address({host, 0}));
  for (int i = 0; i < count; ++i) {
    Socket socket(::socket(any.get()->sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (!socket.open() || ::bind(socket.fd(), any.get(), any.length) != 0) {
      if (errno == EADDRNOTAVAIL) {
        return fail(ErrorKind::kUsage, host + " is not an address of this machine",
                    "give the one at which the load's host reaches it (ip address)");
      }
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
