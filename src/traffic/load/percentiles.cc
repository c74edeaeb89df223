// The columns, their widths and the footer are those of HdrHistogram's
// outputPercentileDistribution(), whose readers skip lines by their look.
#include "traffic/load/percentiles.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace hone::traffic::load {
namespace {

constexpr double kNsPerMs = 1e6;

// Lines for each halving of the distance to 100 %: HdrHistogram's default.
constexpr double kTicksPerHalving = 5;

}  // namespace

std::string percentile_text(const Histogram& histogram) {
  std::string text = fmt::format("{:>12} {:>14} {:>10} {:>14}\n\n", "Value", "Percentile",
                                 "TotalCount", "1/(1-Percentile)");
  const auto buckets = histogram.filled();
  const auto total = static_cast<double>(histogram.count());
  double squares = 0;
  for (const Histogram::Bucket& bucket : buckets) {
    const double off = static_cast<double>(bucket.value_ns) - histogram.mean_ns();
    squares += static_cast<double>(bucket.count) * off * off;
  }
  std::uint64_t seen = 0;
  auto bucket = buckets.begin();
  for (double level = 0; std::ceil(level * total) < total;) {
    const std::int64_t value_ns = histogram.quantile_ns(level);
    for (; bucket != buckets.end() && bucket->value_ns <= value_ns; ++bucket) seen += bucket->count;
    text += fmt::format("{:12.3f} {:2.12f} {:10} {:14.2f}\n",
                        static_cast<double>(value_ns) / kNsPerMs, level, seen, 1 / (1 - level));
    const double halvings = std::floor(std::log2(1 / (1 - level)));
    level += 1 / (kTicksPerHalving * std::exp2(halvings + 1));
  }
  const double max_ms = static_cast<double>(histogram.max_ns()) / kNsPerMs;
  if (histogram.count() > 0) {
    text += fmt::format("{:12.3f} {:2.12f} {:10}\n", max_ms, 1.0, histogram.count());
  }
  const double deviation = total > 0 ? std::sqrt(squares / total) : 0;
  text += fmt::format("#[Mean    = {:12.3f}, StdDeviation   = {:12.3f}]\n",
                      histogram.mean_ns() / kNsPerMs, deviation / kNsPerMs);
  text += fmt::format("#[Max     = {:12.3f}, Total count    = {:12}]\n", max_ms, histogram.count());
  text += fmt::format("#[Buckets = {:12}, SubBuckets     = {:12}]\n", Histogram::kBlocks,
                      Histogram::kSubBuckets);
  return text;
}

}  // namespace hone::traffic::load
