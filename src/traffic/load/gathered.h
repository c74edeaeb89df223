// What a thread that waits gets from several others: one value from each, within a limit.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <utility>
#include <vector>

#include "base/error.h"
#include "system/interrupt.h"
#include "system/net/loop.h"

namespace hone::traffic::load {

// One value from each of several threads, for one that waits. Shared with those threads, so that
// one that answers after the waiter has given up does no harm.
template <typename Value>
class Gathered {
 public:
  explicit Gathered(std::size_t expected) : expected_(expected) {}

  void put(Value value) {
    const std::lock_guard lock(mutex_);
    values_.push_back(std::move(value));
    if (values_.size() == expected_) complete_.notify_one();
  }

  // `look` is asked every 50 ms: its error ends the wait, which can be taken up again.
  using Look = std::function<Status()>;
  Result<std::vector<Value>> wait(system::Duration limit,
                                  const Look& look = system::check_interrupted) {
    const system::Instant end = system::net::Loop::read_clock() + limit;
    std::unique_lock lock(mutex_);
    while (values_.size() < expected_) {
      if (look) {
        // Not under the lock, which a loop may wait for.
        lock.unlock();
        const Status status = look();
        lock.lock();
        if (!status) return tl::make_unexpected(status.error());
        if (values_.size() == expected_) break;
      }
      if (system::net::Loop::read_clock() >= end) {
        return fail(ErrorKind::kMachineUnfit, "the load's own thread does not answer",
                    "check that the machine is not overloaded or suspended; then run again");
      }
      complete_.wait_for(lock, kLook);
    }
    return std::move(values_);
  }

 private:
  // How soon Ctrl-C is noticed at the latest.
  static constexpr auto kLook = std::chrono::milliseconds(50);

  const std::size_t expected_;
  std::mutex mutex_;
  std::condition_variable complete_;
  std::vector<Value> values_;
};

}  // namespace hone::traffic::load
