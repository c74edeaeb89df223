#include "traffic/origin/origin.h"

namespace hone::traffic::origin {
namespace {

// Decades, coarse enough to be read at a glance: one read's requests, a burst, one by one, idle.
constexpr std::int64_t kGapBoundsUs[] = {0, 10, 100, 1'000, 10'000, 100'000, 1'000'000};

Json gaps_json(const Histogram& gaps) {
  const LatencySummary summary = summarise(gaps);
  Json coarse = Json::array();
  std::int64_t above_ns = -1;
  const auto filled = gaps.filled();
  const auto add_bucket = [&](Json up_to_us, std::int64_t up_to_ns) {
    std::uint64_t count = 0;
    for (const Histogram::Bucket& bucket : filled) {
      if (bucket.value_ns > above_ns && bucket.value_ns <= up_to_ns) count += bucket.count;
    }
    coarse.push_back({{"up_to_us", std::move(up_to_us)}, {"count", count}});
    above_ns = up_to_ns;
  };
  for (const std::int64_t bound : kGapBoundsUs) add_bucket(bound, bound * 1000);
  add_bucket(nullptr, INT64_MAX);
  return {{"count", gaps.count()}, {"p50", summary.p50}, {"p90", summary.p90},
          {"p99", summary.p99},    {"max", summary.max}, {"mean", summary.mean},
          {"histogram", coarse}};
}

}  // namespace

void to_json(Json& json, const OriginCounters& c) {
  json = {{"requests", c.requests},
          {"responses", c.responses},
          {"connections", c.connections},
          {"open_connections", c.open_connections},
          {"bytes_in", c.bytes_in},
          {"bytes_out", c.bytes_out},
          {"protocol_errors", c.protocol_errors},
          {"handshakes", c.handshakes},
          {"request_body_bytes", c.request_body_bytes},
          {"arrival_gap_us", gaps_json(c.arrival_gaps)}};
}

void add(OriginCounters* sum, const OriginCounters& one) {
  using Field = std::uint64_t OriginCounters::*;
  for (const Field field :
       {&OriginCounters::requests, &OriginCounters::responses, &OriginCounters::connections,
        &OriginCounters::open_connections, &OriginCounters::bytes_in, &OriginCounters::bytes_out,
        &OriginCounters::protocol_errors, &OriginCounters::handshakes,
        &OriginCounters::request_body_bytes}) {
    sum->*field += one.*field;
  }
  sum->arrival_gaps.merge(one.arrival_gaps);
}

}  // namespace hone::traffic::origin
