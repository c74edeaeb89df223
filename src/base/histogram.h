// Latency histogram with bounded relative error and bounded memory, mergeable and exact in count,
// maximum and mean.
#pragma once

#include <cstdint>
#include <vector>

#include "base/json.h"

namespace hone {

// Log-linear buckets: 128 per power of two, so a value is known to 1/128 (0.8 %). 0 to 2^42 ns
// (73 minutes); larger values count as the largest and keep the exact maximum.
class Histogram {
 public:
  void record(std::int64_t value_ns);
  void merge(const Histogram&);
  std::uint64_t count() const { return count_; }
  std::int64_t max_ns() const { return max_; }
  double mean_ns() const;
  std::int64_t quantile_ns(double q) const;  // q in [0, 1]; 0 when empty

  struct Bucket {
    std::int64_t value_ns;  // its middle, and never more than the maximum
    std::uint64_t count;    // above zero
  };
  std::vector<Bucket> filled() const;      // in the order of values
  static constexpr int kSubBuckets = 128;  // for each power of two
  static constexpr int kBlocks = 36;       // of so many buckets, up to the largest value

  // Whole, so that histograms of another process can be merged: {"max_ns", "sum_ns", "buckets":
  // [index, count, ...]}. read_whole() throws Json's exceptions, or std::out_of_range.
  Json whole_json() const;
  void read_whole(const Json& json);

 private:
  std::vector<std::uint64_t> buckets_;  // grown on demand
  std::uint64_t count_ = 0;
  std::int64_t max_ = 0;
  double sum_ = 0;
};

struct LatencySummary {  // microseconds; zeros when nothing was recorded
  double p50 = 0, p90 = 0, p99 = 0, p999 = 0, max = 0, mean = 0;
};
HONE_JSON(LatencySummary)
LatencySummary summarise(const Histogram&);

}  // namespace hone
