// What became of a slice's requests by the time at which they were due: for each second, and for
// each phase of its rate. Memory is bounded, whatever the rate: a point of the series has a fixed
// size, and there are at most kMostPoints of them.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "base/histogram.h"
#include "base/json.h"
#include "traffic/load/rate_phase.h"

namespace hone::traffic::load {

struct IntervalCounts {
  std::uint64_t scheduled = 0, sent = 0, missed = 0, expired = 0;
  std::uint64_t ok = 0;
  std::uint64_t errors = 0;  // sent, and anything else than ok
  void add(const IntervalCounts& other);
};

// 16 buckets for each power of two: a value is known to 3 %, in 2 KiB. Up to 73 minutes.
class CoarseHistogram {
 public:
  void record(std::int64_t value_ns);
  void merge(const CoarseHistogram&);
  std::int64_t quantile_ns(double q) const;  // q in [0, 1]; 0 when empty
  std::int64_t max_ns() const { return max_; }

  Json buckets_json() const;  // [index, count, ...] and the maximum, for from_json
  void read_buckets(const Json& json);

 private:
  // Of 42 bits, the lower ten are not told apart (1 us), the upper five choose a bucket.
  static constexpr std::size_t kBuckets = std::size_t{42 - 10 - 5 + 2} * 16;
  std::array<std::uint32_t, kBuckets> buckets_{};
  std::uint64_t count_ = 0;
  std::int64_t max_ = 0;
};

struct SeriesPoint {
  IntervalCounts counts;
  CoarseHistogram latency;
};

struct StepResult {
  RatePhase phase;
  double begin_s = 0;
  std::uint64_t sent_in_time = 0;  // by the step's end, or 10 ms after it
  IntervalCounts counts;
  Histogram latency;
  double achieved_rate() const { return static_cast<double>(sent_in_time) / phase.duration_s; }
};

// An hour of seconds; longer slices have longer intervals.
inline constexpr int kMostPoints = 3600;
// A whole number of seconds: how long each point of a slice's series is.
double series_interval_s(double duration_s);

// Which of consecutive intervals a time lies in. Nearly always the one asked for before.
class Boundaries {
 public:
  void set(std::vector<std::int64_t> ends_ns);  // increasing, from 0 on; not empty
  std::size_t find(std::int64_t offset_ns) {
    if (offset_ns >= begin_ && offset_ns < end_) return index_;
    return search(offset_ns);
  }

 private:
  std::size_t search(std::int64_t offset_ns);
  std::vector<std::int64_t> ends_;
  std::int64_t begin_ = 0, end_ = 0;
  std::size_t index_ = 0;
};

// The contract of `hone load --json`.
Json series_json(const std::vector<SeriesPoint>& series, double interval_s);
Json steps_json(const std::vector<StepResult>& steps);

}  // namespace hone::traffic::load
