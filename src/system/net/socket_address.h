// An Address in the kernel's form; only the files beside this one use it.
#pragma once

#include <sys/socket.h>

#include "base/error.h"
#include "system/net/socket.h"

namespace hone::system::net {

struct SocketAddress {
  sockaddr_storage storage{};
  socklen_t length = 0;

  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&storage); }
};

bool is_unix(const Address&);
Result<SocketAddress> to_socket_address(const Address&);

}  // namespace hone::system::net
