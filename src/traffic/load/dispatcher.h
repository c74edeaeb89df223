// Decides for every request of a slice when it is sent and how it ends: due, missed, blocked,
// expired, answered, timed out, lost, unfinished. It sees time only as an argument and connections
// only as Lines, so all of it is tested to the nanosecond without a socket.
#pragma once

#include <cstdint>
#include <vector>

#include "system/clock.h"
#include "traffic/load/load_session.h"
#include "traffic/load/recorder.h"
#include "traffic/load/schedule.h"
#include "traffic/wire/client_session.h"

namespace hone::traffic::load {

// A worker's connections, by number from 0.
class Lines {
 public:
  virtual ~Lines() = default;
  virtual system::Instant now() = 0;
  virtual bool is_up(int line) = 0;
  virtual int free_slots(int line) = 0;  // 0 while the connection is not up
  // `request`: which of the pool's list. Precondition: free_slots() > 0.
  virtual void submit(int line, std::uint64_t id, std::uint16_t request) = 0;
  // Writes what was submitted. Reports no loss from within: those come by the loop.
  virtual void send(int line) = 0;
  // Ends the connection without a word about what is open on it, and makes it again.
  virtual void renew(int line) = 0;
};

class Dispatcher {
 public:
  // `shares`: of the pool's requests.
  Dispatcher(const Share& share, Lines* lines, system::Duration timeout,
             const std::vector<double>& shares = {1});

  void prepare(const SliceSpec&);  // what takes time before the clock starts
  void begin(system::Instant start);
  // Does what is due at `now`; returns when it wants to be called next.
  system::Instant advance(system::Instant now);
  // Ends the slice's sending at `now`: what is not due by then is dropped, and the drain begins.
  void cut(system::Instant now);
  // Every request that was due has ended, or the drain's limit is reached.
  bool finished(system::Instant now) const;
  // Ends the slice; whatever is open is unfinished. Afterwards nothing is due until begin().
  SliceResult finish(system::Instant now);

  // From the connections. `id` is what submit() was given.
  void answered(int line, std::uint64_t id, const wire::ResponseSummary&, system::Instant now);
  void lost(int line, std::uint64_t id, wire::Loss why, wire::Failure failure, system::Instant now);
  void line_ready(int line, system::Instant now);  // it came up, or its slots may be free again
  // What is still open on it is lost, by `failure`.
  void line_gone(int line, wire::Failure failure, system::Instant now);

  bool is_open(int line) const { return state_of(line).open > 0; }
  const SliceSpec& spec() const { return spec_; }
  Recorder& recorder() { return recorder_; }

 private:
  enum class State : std::uint8_t { kWaiting, kOpen, kEnded };
  // Half a cache line: thousands may be under way.
  static constexpr std::uint64_t kNone = ~std::uint64_t{0};
  struct Record {
    system::Instant due, sent;
    std::uint64_t next = kNone;  // in its line's queue, or among those to be stamped
    int line = 0;
    std::uint16_t request = 0;
    State state = State::kEnded;
    bool blocked : 1 = false;  // its line was not free when it was due
    bool resent : 1 = false;
  };
  struct Line {
    std::uint64_t first = kNone, last = kNone;              // waiting, oldest first
    std::uint64_t fresh_first = kNone, fresh_last = kNone;  // submitted, not written yet
    int open = 0;                                           // submitted and without an event so far
    int abandoned = 0;                                      // of these, the ones given up
  };

  const Line& state_of(int line) const { return state_[static_cast<std::size_t>(line)]; }
  Line& state_of(int line) { return state_[static_cast<std::size_t>(line)]; }
  Record& record(std::uint64_t id) { return ring_[static_cast<std::size_t>(id & mask_)]; }
  bool is_live(std::uint64_t id) { return id >= oldest_ && record(id).state == State::kOpen; }

  std::uint64_t push(const Due& due);
  void grow();
  void end(Record* record);
  void schedule_one(const Due& due, system::Instant now);
  void submit(int line, std::uint64_t id);
  void send_fresh();
  void fill(int line, system::Instant now);
  void wait_first(int line, std::uint64_t id);
  void wait_last(int line, std::uint64_t id);
  void unlink(int line, std::uint64_t id);
  void give_up_late(system::Instant now);
  bool is_dead(int line);
  void renew_if_dead(int line);
  void place_resent(system::Instant now);
  int line_to_resend(int from);

  Lines* lines_;
  system::Duration timeout_;
  int worker_;
  Schedule schedule_;
  Mix closed_loop_mix_;
  Recorder recorder_;
  SliceSpec spec_;
  bool active_ = false;
  bool started_ = false;  // of a closed loop: the lines have been filled once
  system::Instant start_{}, end_{}, drain_end_{};

  // Every request from its due time to its end, in the order of due times, numbered over the pool's
  // life: the number is the wire's id. Since all have one timeout, only the oldest can be the next
  // to run into it, and no heap is needed.
  std::vector<Record> ring_;
  std::uint64_t mask_ = 0;
  std::uint64_t oldest_ = 0, next_id_ = 0;

  std::vector<Line> state_;
  std::vector<int> dirty_;             // lines with fresh submissions
  std::vector<int> dead_;              // lines that were, at the end of an event of theirs
  std::vector<std::uint64_t> resent_;  // to be sent again, in no queue yet
};

}  // namespace hone::traffic::load
