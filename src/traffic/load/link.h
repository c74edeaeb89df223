// What a worker asks of one of its connections, whatever carries it: a stream socket (connection.h)
// or QUIC's datagrams. What comes of the requests goes to the ConnectionOwner.
#pragma once

#include <cstdint>

#include "base/error.h"
#include "traffic/wire/failure.h"

namespace hone::traffic::load {

class Link {
 public:
  virtual ~Link() = default;

  // Begins to connect; up() or down() follows, unless it fails at once. Precondition: closed.
  virtual Status open() = 0;
  // Without a word to the owner; whatever is open on it is forgotten.
  virtual void close() = 0;
  // How many requests can be submitted now: 0 while it is not up.
  virtual int free_slots() const = 0;
  // `request`: which of the pool's list. Precondition: free_slots() > 0.
  virtual void submit(std::uint64_t id, std::uint16_t request) = 0;
  // It takes no more requests: once the open ones have ended it closes and says down(kNone). True:
  // nothing is open on it, and it is the caller's to close now. Precondition: up.
  virtual bool retire() = 0;
  // Writes what was submitted, as far as the kernel takes it; the rest follows by itself. Calls
  // nothing of the owner.
  virtual void flush() = 0;
  // Wants to send, but the peer's flow-control window is shut.
  virtual bool window_blocked() const = 0;
  // Whether it has answered a request since it was opened: one that never did is not opened again
  // at once, or a peer that closes every connection would keep the loop busy.
  virtual bool was_useful() const = 0;
  // Why the last open() failed, or what came after it.
  virtual wire::Failure failure() const = 0;
  virtual std::uint16_t local_port() const = 0;  // precondition: up
};

}  // namespace hone::traffic::load
