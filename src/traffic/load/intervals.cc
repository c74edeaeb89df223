#include "traffic/load/intervals.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <stdexcept>

namespace hone::traffic::load {
namespace {

constexpr int kUnseenBits = 10;  // about a microsecond
constexpr int kCoarseBits = 5;   // 16 buckets per power of two
constexpr std::size_t kPerPower = 1U << (kCoarseBits - 1);

// The middle of a bucket.
std::int64_t coarse_value(std::size_t bucket) {
  const std::size_t cut = bucket < 2 * kPerPower ? 0 : bucket / kPerPower - 1;
  const std::size_t top = bucket - cut * kPerPower;
  const auto low = static_cast<std::int64_t>(top << (cut + kUnseenBits));
  return low + (std::int64_t{1} << (cut + kUnseenBits - 1));
}

Json counts_json(const IntervalCounts& counts) {
  return Json{{"scheduled", counts.scheduled}, {"sent", counts.sent}, {"missed", counts.missed},
              {"expired", counts.expired},     {"ok", counts.ok},     {"errors", counts.errors}};
}

}  // namespace

void IntervalCounts::add(const IntervalCounts& other) {
  scheduled += other.scheduled;
  sent += other.sent;
  missed += other.missed;
  expired += other.expired;
  ok += other.ok;
  errors += other.errors;
}

void CoarseHistogram::record(std::int64_t value_ns) {
  const auto value = static_cast<std::uint64_t>(std::max<std::int64_t>(0, value_ns));
  const std::uint64_t bits = value >> kUnseenBits;
  const int cut = std::max(0, static_cast<int>(std::bit_width(bits)) - kCoarseBits);
  const auto bucket = static_cast<std::size_t>(cut) * kPerPower + (bits >> cut);
  ++buckets_[std::min(bucket, kBuckets - 1)];
  ++count_;
  max_ = std::max(max_, value_ns);
}

void CoarseHistogram::merge(const CoarseHistogram& other) {
  for (std::size_t i = 0; i < kBuckets; ++i) buckets_[i] += other.buckets_[i];
  count_ += other.count_;
  max_ = std::max(max_, other.max_);
}

std::int64_t CoarseHistogram::quantile_ns(double q) const {
  if (count_ == 0) return 0;
  const double wanted = std::ceil(std::clamp(q, 0.0, 1.0) * static_cast<double>(count_));
  const auto rank = std::clamp<std::uint64_t>(static_cast<std::uint64_t>(wanted), 1, count_);
  if (rank == count_) return max_;
  std::uint64_t seen = 0;
  for (std::size_t i = 0; i < kBuckets; ++i) {
    seen += buckets_[i];
    if (seen >= rank) return std::min(coarse_value(i), max_);
  }
  return max_;
}

Json CoarseHistogram::buckets_json() const {
  Json buckets = Json::array();
  for (std::size_t i = 0; i < kBuckets; ++i) {
    if (buckets_[i] == 0) continue;
    buckets.push_back(i);
    buckets.push_back(buckets_[i]);
  }
  return Json{{"max_ns", max_}, {"buckets", std::move(buckets)}};
}

void CoarseHistogram::read_buckets(const Json& json) {
  *this = CoarseHistogram();
  max_ = std::max<std::int64_t>(0, json.at("max_ns").get<std::int64_t>());
  const Json& buckets = json.at("buckets");
  for (std::size_t i = 0; i + 1 < buckets.size(); i += 2) {
    if (!buckets[i].is_number_unsigned() || !buckets[i + 1].is_number_unsigned()) {
      throw std::out_of_range("a bucket that is not a number");
    }
    const auto count = buckets[i + 1].get<std::uint32_t>();
    buckets_.at(buckets[i].get<std::size_t>()) += count;
    count_ += count;
  }
}

double series_interval_s(double duration_s) {
  return std::max(1.0, std::ceil(duration_s / kMostPoints));
}

void Boundaries::set(std::vector<std::int64_t> ends_ns) {
  ends_ = std::move(ends_ns);
  begin_ = 0;
  index_ = 0;
  end_ = ends_.front();
}

std::size_t Boundaries::search(std::int64_t offset_ns) {
  const auto end = std::upper_bound(ends_.begin(), ends_.end(), offset_ns);
  // What lies at the very end, by rounding, belongs to the last one.
  index_ = std::min(static_cast<std::size_t>(end - ends_.begin()), ends_.size() - 1);
  begin_ = index_ == 0 ? 0 : ends_[index_ - 1];
  end_ = ends_[index_];
  return index_;
}

Json series_json(const std::vector<SeriesPoint>& series, double interval_s) {
  Json json = Json::array();
  for (std::size_t i = 0; i < series.size(); ++i) {
    const SeriesPoint& point = series[i];
    Json entry = counts_json(point.counts);
    entry["second"] = static_cast<double>(i) * interval_s;
    entry["latency_us"] = {{"p50", static_cast<double>(point.latency.quantile_ns(0.5)) * 1e-3},
                           {"p99", static_cast<double>(point.latency.quantile_ns(0.99)) * 1e-3},
                           {"max", static_cast<double>(point.latency.max_ns()) * 1e-3}};
    json.push_back(std::move(entry));
  }
  return json;
}

Json steps_json(const std::vector<StepResult>& steps) {
  Json json = Json::array();
  for (const StepResult& step : steps) {
    Json entry = counts_json(step.counts);
    entry["begin_s"] = step.begin_s;
    entry["duration_s"] = step.phase.duration_s;
    entry["from_rate"] = step.phase.from;
    entry["to_rate"] = step.phase.to;
    entry["target_rate"] = step.phase.requests() / step.phase.duration_s;
    entry["achieved_rate"] = step.achieved_rate();
    entry["latency_us"] = summarise(step.latency);
    json.push_back(std::move(entry));
  }
  return json;
}

}  // namespace hone::traffic::load
