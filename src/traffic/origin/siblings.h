// The origins that serve one port together, one per thread: what any of them is asked for, /stats
// tells of all of them.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "system/net/loop.h"
#include "traffic/origin/origin.h"

namespace hone::traffic::origin {

// Thread-safe. A member joins and leaves on its own loop's thread, which outlives its membership.
class Siblings : public std::enable_shared_from_this<Siblings> {
 public:
  void join(system::net::Loop* loop, const Origin* origin);
  void leave(const Origin* origin);
  // Reads every member's counters on its own thread; `done` is called on the asker's, unless it has
  // left by then.
  void sum(const Origin* asker, std::function<void(const OriginCounters&)> done);

 private:
  struct Member {
    system::net::Loop* loop;
    const Origin* origin;
  };
  struct Sum {
    std::mutex mutex;
    OriginCounters counters;
    std::size_t left = 0;
  };
  bool has(const Origin* origin);
  void tell(const Origin* asker, std::function<void()> done);

  std::mutex mutex_;
  std::vector<Member> members_;
};

}  // namespace hone::traffic::origin
