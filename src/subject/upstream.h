// What a subject proxies to: an origin in this process, or one on another host.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/error.h"
#include "subject/hosts.h"
#include "system/net/loop.h"
#include "system/net/socket.h"
#include "system/system.h"

namespace hone::subject {

class Upstream {
 public:
  virtual ~Upstream() = default;
  virtual const system::net::Address& address() const = 0;  // as the subject reaches it
  // How many it was asked so far; asking this is none of them.
  virtual Result<std::uint64_t> requests() = 0;
};

// On the loop of `thread`, which outlives it.
Result<std::unique_ptr<Upstream>> start_upstream(system::net::LoopThread* thread);

// `hone origin` on `hosts.origin`, at `hosts.origin_address` and any free port. `cpus` and `log` as
// of FarProgram; kinds of error as of start_far_load().
Result<std::unique_ptr<Upstream>> start_far_upstream(const Hosts& hosts,
                                                     const std::vector<int>& cpus,
                                                     const system::Path& log, system::System&);

// What `hone origin` says first, "listening on http://10.0.0.3:8080", and answers to /stats.
// kFarHost where it is neither.
Result<std::uint16_t> port_in_greeting(const std::string& line);
Result<std::uint64_t> requests_in_stats(const std::string& json);

}  // namespace hone::subject
