// What happened to the requests of one slice: counts and histograms, added to as it happens. No
// clock and no decision of its own; every call is constant time.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "system/clock.h"
#include "traffic/load/load_session.h"
#include "traffic/wire/failure.h"
#include "traffic/wire/grpc.h"

namespace hone::traffic::load {

// More than this behind, and the request is not sent: two ticks of a 250 Hz kernel, and well above
// what a loop that shares its thread with the origin can be held up by.
inline constexpr system::Duration kMissedAfter = std::chrono::milliseconds(10);

// Adds what has happened since `before` to `into`, by name.
void add_named(std::map<std::string, std::uint64_t>* into, const wire::FailureCounts& counts,
               const wire::FailureCounts& before);

class Recorder {
 public:
  Recorder(int lines, std::size_t requests)
      : per_line_(static_cast<std::size_t>(lines)), per_request_(requests) {}

  void prepare(const SliceSpec&);  // what takes memory
  void begin(const SliceSpec&, system::Instant start);

  void cut(system::Instant now);  // the slice ends here: it is as long as that

  void scheduled(int line, system::Instant due);
  void missed(system::Instant due);
  void blocked() { ++result_.blocked; }
  void window_blocked() { ++result_.window_blocked; }
  void release_turn() { ++result_.release_turns; }
  void resent() { ++result_.resent; }
  void sent(system::Instant due, system::Instant now, bool was_blocked, std::uint16_t request);

  void answered(system::Instant due, system::Instant sent, system::Instant now,
                const wire::ResponseSummary& response, std::uint16_t request);
  // The peer's refusals: they have no latency, a quick failure must not look like a quick answer.
  void reset(system::Instant due, wire::Failure why, system::Instant now);
  void connection_error(system::Instant due, wire::Failure why, system::Instant now);
  // Given up by us: the latency is at least this long, and is recorded as that.
  void timeout(system::Instant due, system::Instant now);
  void expired(system::Instant due, system::Instant now);
  void unfinished(system::Instant due, system::Instant now);

  const SliceResult& so_far() const { return result_; }  // the plain counts
  SliceResult result(bool closed_loop) const;

 private:
  std::vector<std::uint64_t> per_line_;  // scheduled, over the pool's life
  struct Counts {
    std::uint64_t sent = 0, ok = 0;
  };
  std::vector<Counts> per_request_;
  std::array<std::uint64_t, 1000> status_{};  // by code; 0: not a three-digit code
  std::array<std::uint64_t, wire::kGrpcMostStatus + 1> grpc_status_{};
  wire::FailureCounts failures_;
  SeriesPoint& point_at(system::Instant due);
  StepResult* step_at(system::Instant due);  // null: the rate has no phases
  void count(system::Instant due, std::uint64_t IntervalCounts::* what);
  void record_latency(system::Instant due, system::Instant now);

  SliceResult result_;
  std::vector<SeriesPoint> prepared_series_;
  std::vector<StepResult> prepared_steps_;
  Boundaries points_, steps_;
  std::uint64_t sent_in_time_ = 0;
  system::Instant start_{};
  system::Instant in_time_until_{};
  system::Instant last_end_{};
};

}  // namespace hone::traffic::load
