// Which request is due when, and on which line (connection). Request i of a pool's whole life
// belongs to connection i mod N, and connection c to worker c mod T; every worker walks the same
// sequence and keeps what is its own, so T threads interleave in phase and send together exactly
// what one would.
#pragma once

#include <cstdint>
#include <vector>

#include "system/clock.h"
#include "traffic/load/arrivals.h"
#include "traffic/load/load_session.h"
#include "traffic/load/mix.h"

namespace hone::traffic::load {

struct Share {  // worker `worker` of `workers`, of a pool of `connections`
  int connections = 1;
  int worker = 0;
  int workers = 1;
  int lines() const { return (connections - worker + workers - 1) / workers; }
};

struct Due {
  system::Instant at;
  int line = 0;               // numbered within the worker
  std::uint16_t request = 0;  // of the pool's list
};

class Schedule {
 public:
  explicit Schedule(const Share& share, Mix mix = {});
  // The next slice's requests, exactly rate x duration of them (at least one) and in each phase of
  // the rate as many as it has. Takes time: fitting
  // Poisson arrivals to their count draws each of them once (10 ms for a minute of 8,000/s), which
  // is why it is apart from begin().
  void prepare(const SliceSpec&);
  void begin(system::Instant start);  // the prepared slice
  bool empty() const { return !has_next_; }
  const Due& next() const { return next_; }  // precondition: !empty()
  void pop();
  void cut();  // drops the rest; the next slice goes on where it would have without

 private:
  void find_next();

  Share share_;
  Mix mix_;
  struct Phase {
    DueTimes times;
    std::uint64_t left;  // all workers'
    system::Duration begin;
  };
  std::vector<Phase> phases_;
  std::size_t phase_ = 0;
  system::Instant start_{};
  std::uint64_t connection_ = 0;  // of the next request: counts on over slices
  bool has_next_ = false;
  Due next_;
};

}  // namespace hone::traffic::load
