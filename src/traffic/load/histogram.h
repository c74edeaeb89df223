// Latency histogram with bounded relative error and bounded memory, mergeable and exact in count,
// maximum and mean.
#pragma once

#include <cstdint>
#include <vector>

#include "base/json.h"

namespace hone::traffic::load {

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
  void clear();

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

}  // namespace hone::traffic::load
