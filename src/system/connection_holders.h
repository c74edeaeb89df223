// Which worker of a server holds which connection, without asking the server: the process that owns
// the socket, and in it the epoll set that watches it. Servers with several workers have one set
// for each, whether their workers are processes (nginx) or threads (Envoy, nghttpx, HAProxy).
#pragma once

#include <sys/types.h>

#include <compare>
#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace hone::system {

struct Holder {
  pid_t pid = 0;
  int epoll = -1;  // the set's descriptor; -1: no set watches the socket (poll, io_uring)
  auto operator<=>(const Holder&) const = default;
};

// Holders of the established TCP connections to `port` in `root` and its descendants, by the peer's
// port. One that is not accepted yet is left out. kPermission when a member's descriptors are
// hidden from this user; kNotFound when the tree is gone.
Result<std::map<std::uint16_t, Holder>> connection_holders(pid_t root, std::uint16_t port);

// The server's ends of the connections to `port`, from the text of /proc/net/tcp or tcp6.
struct ServerEnd {
  std::uint16_t peer_port = 0;
  std::uint64_t inode = 0;
};
std::vector<ServerEnd> server_ends(std::string_view table, std::uint16_t port);

// The descriptors that an epoll set watches, from the text of /proc/PID/fdinfo/FD; nothing for any
// other kind of descriptor.
std::vector<int> watched_descriptors(std::string_view fdinfo);

}  // namespace hone::system
