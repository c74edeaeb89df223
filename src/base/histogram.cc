// Buckets: values below 128 have one each; above, a value is cut to its top eight bits (128 to 255)
// and the number of bits cut is the block. Both are found by one bit scan and one shift, so
// record() costs the same for every value. The numbering runs on without gaps: block s begins where
// s * 128 plus 128 lies.
#include "base/histogram.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <stdexcept>

namespace hone {
namespace {

constexpr int kTopBits = 8;  // 128 buckets per power of two
constexpr std::size_t kPerBlock = 1U << (kTopBits - 1);
constexpr std::int64_t kLargest = (std::int64_t{1} << 42) - 1;  // 73 minutes

std::size_t bucket_of(std::int64_t value) {
  const auto bits = static_cast<std::uint64_t>(value);
  const int cut = std::max(0, static_cast<int>(std::bit_width(bits)) - kTopBits);
  return static_cast<std::size_t>(cut) * kPerBlock + static_cast<std::size_t>(bits >> cut);
}

// The middle of a bucket: at most half a bucket's width from any value in it.
std::int64_t value_of(std::size_t bucket) {
  if (bucket < 2 * kPerBlock) return static_cast<std::int64_t>(bucket);
  const std::size_t cut = bucket / kPerBlock - 1;
  const std::size_t top = bucket - cut * kPerBlock;
  const auto low = static_cast<std::int64_t>(top << cut);
  return low + ((std::int64_t{1} << cut) >> 1);
}

}  // namespace

void Histogram::record(std::int64_t value_ns) {
  const std::int64_t value = std::max<std::int64_t>(0, value_ns);
  const std::size_t bucket = bucket_of(std::min(value, kLargest));
  // Whole blocks, so that it grows a few times in a run and not with every new maximum.
  if (bucket >= buckets_.size()) buckets_.resize((bucket / kPerBlock + 1) * kPerBlock);
  ++buckets_[bucket];
  ++count_;
  max_ = std::max(max_, value);
  sum_ += static_cast<double>(value);
}

void Histogram::merge(const Histogram& other) {
  if (other.buckets_.size() > buckets_.size()) buckets_.resize(other.buckets_.size());
  for (std::size_t i = 0; i < other.buckets_.size(); ++i) buckets_[i] += other.buckets_[i];
  count_ += other.count_;
  max_ = std::max(max_, other.max_);
  sum_ += other.sum_;
}

double Histogram::mean_ns() const { return count_ == 0 ? 0 : sum_ / static_cast<double>(count_); }

std::int64_t Histogram::quantile_ns(double q) const {
  if (count_ == 0) return 0;
  // The smallest value with at least q of all at or below it.
  const double wanted = std::ceil(std::clamp(q, 0.0, 1.0) * static_cast<double>(count_));
  const std::uint64_t rank =
      std::clamp<std::uint64_t>(static_cast<std::uint64_t>(wanted), 1, count_);
  if (rank == count_) return max_;
  std::uint64_t seen = 0;
  for (std::size_t i = 0; i < buckets_.size(); ++i) {
    seen += buckets_[i];
    if (seen >= rank) return std::min(value_of(i), max_);
  }
  return max_;
}

std::vector<Histogram::Bucket> Histogram::filled() const {
  std::vector<Bucket> filled;
  for (std::size_t i = 0; i < buckets_.size(); ++i) {
    if (buckets_[i] != 0) filled.push_back({std::min(value_of(i), max_), buckets_[i]});
  }
  return filled;
}

Json Histogram::whole_json() const {
  Json buckets = Json::array();
  for (std::size_t i = 0; i < buckets_.size(); ++i) {
    if (buckets_[i] == 0) continue;
    buckets.push_back(i);
    buckets.push_back(buckets_[i]);
  }
  return Json{{"max_ns", max_}, {"sum_ns", sum_}, {"buckets", std::move(buckets)}};
}

void Histogram::read_whole(const Json& json) {
  Histogram read;
  read.max_ = json.at("max_ns").get<std::int64_t>();
  read.sum_ = json.at("sum_ns").get<double>();
  const Json& buckets = json.at("buckets");
  if (buckets.size() % 2 != 0) throw std::out_of_range("a bucket without a count");
  for (std::size_t i = 0; i < buckets.size(); i += 2) {
    if (!buckets[i].is_number_unsigned() || !buckets[i + 1].is_number_unsigned()) {
      throw std::out_of_range("a bucket that is not a number");
    }
    const auto bucket = buckets[i].get<std::size_t>();
    const auto count = buckets[i + 1].get<std::uint64_t>();
    if (bucket > bucket_of(kLargest)) throw std::out_of_range("no such bucket");
    if (bucket >= read.buckets_.size()) read.buckets_.resize((bucket / kPerBlock + 1) * kPerBlock);
    read.buckets_[bucket] += count;
    read.count_ += count;
  }
  *this = std::move(read);
}

LatencySummary summarise(const Histogram& histogram) {
  const auto us = [&](double q) { return static_cast<double>(histogram.quantile_ns(q)) * 1e-3; };
  return {us(0.5),
          us(0.9),
          us(0.99),
          us(0.999),
          static_cast<double>(histogram.max_ns()) * 1e-3,
          histogram.mean_ns() * 1e-3};
}

}  // namespace hone
