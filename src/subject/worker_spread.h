// How a pool's connections sit on the workers of a server, and dialling them again until they sit
// evenly: two arms whose busiest workers differ are not compared by their binaries.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/json.h"
#include "system/clock.h"
#include "system/connection_holders.h"
#include "traffic/load/load_session.h"

namespace hone::subject {

struct WorkerSpread {
  std::vector<int> connections;  // of each worker, most first; one without any counts as 0
  int redialled = 0;             // connections that were made anew for it
  std::string unknown;           // why it cannot be told; `connections` is empty then
  bool known() const { return !connections.empty(); }
};
HONE_JSON(WorkerSpread)

// No two workers differ by more than one connection. False when it is not known.
bool is_even(const WorkerSpread&);
// The largest distance of a worker's share from the fair one, relative to it; 0 when not known.
double off_fair(const WorkerSpread&);
std::string to_string(const WorkerSpread&);  // "8 + 8", or why it cannot be told

// Why it cannot be told who holds the connections to a target; "" where the kernel knows.
std::string why_unknowable(const traffic::load::Target& target);

class WorkerSpreader {
 public:
  // Who holds the connections to the server now, by the client's port.
  using Holders = std::function<Result<std::map<std::uint16_t, system::Holder>>()>;
  // All outlive it. `workers`: of the server, at least 1.
  WorkerSpreader(traffic::load::LoadSession* load, int workers, Holders holders,
                 system::Clock* clock);

  Result<WorkerSpread> read(traffic::load::PoolId);
  // Dials what is too much on a worker again, a bounded number of times; the caller looks whether
  // it came out even. Between slices only: a server that accepts with the first request is asked.
  Result<WorkerSpread> even_out(traffic::load::PoolId);
  // What the requests that asked came to, and the connections that were made for them.
  const traffic::load::SliceResult& asked() const { return asked_; }

 private:
  struct Seen {
    WorkerSpread spread;
    std::vector<int> surplus;  // connections, by number in the pool
  };
  Result<Seen> look(traffic::load::PoolId, const std::vector<int>& redial);
  Status ask_once(traffic::load::PoolId, std::size_t connections);  // one request on each of them

  traffic::load::LoadSession* load_;
  int workers_;
  Holders holders_;
  system::Clock* clock_;
  traffic::load::SliceResult asked_;
};

}  // namespace hone::subject
