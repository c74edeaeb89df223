// One pool's connections on one loop: keeps them up, and drives the dispatcher's slices over them.
// Made, used and destroyed on the loop's thread.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "base/error.h"
#include "system/deadlines.h"
#include "system/net/loop.h"
#include "traffic/load/connection.h"
#include "traffic/load/dispatcher.h"
#include "traffic/load/http3_link.h"
#include "traffic/load/load_session.h"

namespace hone::traffic::load {

class Worker final : private system::net::Pacer, private Lines, private ConnectionOwner {
 public:
  static Result<std::unique_ptr<Worker>> make(system::net::Loop*, const PoolSpec&, const Share&);
  ~Worker() override;

  // Brings up every connection that is down; `done` once all are, or with what kept one of them.
  void connect(std::function<void(Status)> done);
  void prepare(const SliceSpec& spec) { dispatcher_.prepare(spec); }
  // The prepared slice, from `start` on; `done` at its end, identities checked.
  void slice(system::Instant start, std::function<void(Result<SliceResult>)> done);
  void cut();    // the slice ends here: `done` is called after its drain
  void abort();  // of either: `done` is not called

  void hang_up(int line);  // between slices; the next connect() makes it anew

  const SliceResult& so_far() { return dispatcher_.recorder().so_far(); }
  int connections_up() const;
  std::vector<std::uint16_t> local_ports() const;

 private:
  enum class Mode { kIdle, kConnecting, kSlice };
  enum class Phase { kDown, kWaiting, kConnecting, kUp };
  struct LineState {
    std::unique_ptr<Link> connection;
    Phase phase = Phase::kDown;
    system::Instant at{};  // kWaiting: of the next try; kConnecting: of giving up
    int failures = 0;      // tries since it was last of use
    system::Instant opened{};
    int requests_left = 0;       // until it is retired; 0: no limit
    bool opened_before = false;  // its first limits have been drawn
  };
  // What the counters were: bytes and usage at the slice's start, connections at the end of the one
  // before, so that those made anew in between count in the slice they were made for.
  struct Baseline {
    std::uint64_t bytes_in = 0, bytes_out = 0;
    std::uint64_t connections_made = 0, handshakes_full = 0, handshakes_resumed = 0;
    std::uint64_t handshakes_offered = 0;
    wire::FailureCounts connection_failures;
    system::net::LoopThread::Usage usage;
  };

  Worker(system::net::Loop*, const PoolSpec&, const Share&);
  Status make_links();

  // Pacer
  system::Instant advance(system::Instant now) override;
  // Lines
  system::Instant now() override { return system::net::Loop::read_clock(); }
  bool is_up(int line) override { return state_of(line).phase == Phase::kUp; }
  int free_slots(int line) override { return state_of(line).connection->free_slots(); }
  void submit(int line, std::uint64_t id, std::uint16_t request) override {
    LineState& state = state_of(line);
    state.connection->submit(id, request);
    if (state.requests_left == 0) return;
    --state.requests_left;
    if (state.requests_left == 0) state.connection->retire();
  }
  void send(int line) override;
  void renew(int line) override;
  // ConnectionOwner
  void up(int line) override;
  void answered(int line, std::uint64_t id, const wire::ResponseSummary&) override;
  void lost(int line, std::uint64_t id, wire::Loss why, wire::Failure failure) override;
  void settled(int line) override;
  void down(int line, wire::Failure failure, const Error& why) override;

  LineState& state_of(int line) { return lines_[static_cast<std::size_t>(line)]; }
  system::Instant advance_mode(system::Instant now);
  void open(int line);
  void open_next();
  void set_limits(int line);
  system::Instant retire_aged(system::Instant now);
  void close_aged(system::Instant now);
  void wait_to_open(int line);
  system::Instant look_after_pending(system::Instant now);
  void finish_connecting(Status status);
  void finish_slice(system::Instant now);
  void name_requests(std::vector<RequestCounts>* counts) const;
  void close_unsettled(system::Instant now);

  system::net::Loop* const loop_;
  const PoolSpec spec_;
  ConnectionContext context_;
  Dispatcher dispatcher_;
  std::unique_ptr<Http3Links> http3_;  // null on other protocols
  std::vector<LineState> lines_;
  std::vector<int> pending_;  // lines that are kWaiting or kConnecting
  Mode mode_ = Mode::kIdle;

  Random limits_;                // of each connection's first lifetime and requests
  system::Deadlines lifetimes_;  // by line
  Histogram connecting_;         // since the last slice

  // of connect()
  std::function<void(Status)> connected_;
  system::Instant connect_limit_{};
  std::size_t to_open_ = 0;  // lines from here on have not been tried
  Error last_failure_;

  // of slice()
  std::function<void(Result<SliceResult>)> sliced_;
  Baseline before_;
  std::uint64_t release_turn_ = 0;  // the last loop turn in which something was sent
};

}  // namespace hone::traffic::load
