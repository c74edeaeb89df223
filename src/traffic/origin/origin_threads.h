// The origin as a server by itself: one origin per thread, all on one port, until told to stop.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/error.h"
#include "system/net/loop.h"
#include "traffic/origin/origin.h"

namespace hone::traffic::origin {

class OriginThreads {
 public:
  static Result<std::unique_ptr<OriginThreads>> start(OriginSpec spec, int threads);
  ~OriginThreads();
  OriginThreads(const OriginThreads&) = delete;
  OriginThreads& operator=(const OriginThreads&) = delete;

  std::uint16_t port() const { return port_; }
  OriginCounters counters() const;  // of all threads

 private:
  struct Member {
    std::unique_ptr<system::net::LoopThread> thread;
    std::unique_ptr<Origin> origin;  // lives on the thread's loop
  };
  OriginThreads() = default;

  std::vector<Member> members_;
  std::uint16_t port_ = 0;
};

// Sleeps, without waking meanwhile, until system::interrupted(); with an `input`, until that has
// ended or failed too. What comes from it is passed over. kUsage for one that cannot be waited for
// (a file).
Status wait_until_interrupted(int input = -1);

}  // namespace hone::traffic::origin
