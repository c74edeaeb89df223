// What a slice's result means when it is added up, checked and printed.
#include <algorithm>

#include "traffic/load/load_session.h"
#include "traffic/load/slice_fields.h"

namespace hone::traffic::load {
namespace {

// Of `hone load --json`; raised when a key changes its meaning.
constexpr int kSchema = 1;

double per_request(double amount, const SliceResult& result) {
  return result.sent == 0 ? 0 : amount / static_cast<double>(result.sent);
}

// The mean of two rates over their times.
double mean_rate(double a, double a_s, double b, double b_s) {
  return a_s + b_s > 0 ? (a * a_s + b * b_s) / (a_s + b_s) : 0;
}

void add_counts(SliceResult* into, const SliceResult& other) {
  for (const NamedCount& count : kCounts) into->*count.field += other.*count.field;
  for (const NamedHistogram& one : kHistograms) (into->*one.field).merge(other.*one.field);
  for (const auto& [code, count] : other.status) into->status[code] += count;
  for (const auto& [why, count] : other.failures) into->failures[why] += count;
  for (const auto& [why, count] : other.connection_failures) {
    into->connection_failures[why] += count;
  }
  // Both have the same pool's list, unless `into` has had nothing yet.
  for (std::size_t i = 0; i < other.requests.size(); ++i) {
    if (i == into->requests.size()) into->requests.push_back({other.requests[i].name});
    into->requests[i].share = other.requests[i].share;
    into->requests[i].sent += other.requests[i].sent;
    into->requests[i].ok += other.requests[i].ok;
  }
  into->client_cpu_s += other.client_cpu_s;
  into->interrupted = into->interrupted || other.interrupted;
}

}  // namespace

void set_phases(SliceSpec* spec, std::vector<RatePhase> phases) {
  spec->rate = mean_rate_of(phases);
  spec->duration_s = duration_of(phases);
  spec->phases = std::move(phases);
}

HONE_JSON_FIELDS(RequestCounts, name, share, sent, ok)

Json to_json(const SliceResult& r) {
  return Json{{"schema", kSchema},
              {"target_rate", r.target_rate},
              {"achieved_rate", r.achieved_rate},
              {"duration_s", r.duration_s},
              {"interrupted", r.interrupted},
              {"scheduled", r.scheduled},
              {"sent", r.sent},
              {"missed", r.missed},
              {"expired", r.expired},
              {"blocked", r.blocked},
              {"ok", r.ok},
              {"bad_status", r.bad_status},
              {"reset", r.reset},
              {"timeout", r.timeout},
              {"connection_error", r.connection_error},
              {"unfinished", r.unfinished},
              {"resent", r.resent},
              {"window_blocked", r.window_blocked},
              {"status", r.status},
              {"failures", r.failures},
              {"connection_failures", r.connection_failures},
              {"requests", r.requests},
              {"per_connection", {{"min", r.per_connection_min}, {"max", r.per_connection_max}}},
              {"connections_made", r.connections_made},
              {"handshakes",
               {{"full", r.handshakes_full},
                {"resumed", r.handshakes_resumed},
                {"offered", r.handshakes_offered}}},
              {"connecting_us", summarise(r.connecting)},
              {"bytes_in", r.bytes_in},
              {"bytes_out", r.bytes_out},
              {"body_bytes", r.body_bytes},
              {"release_turns", r.release_turns},
              {"latency_us", summarise(r.latency)},
              {"service_us", summarise(r.service)},
              {"lateness_us", summarise(r.lateness)},
              {"generator_lateness_us", summarise(r.generator_lateness)},
              {"steps", steps_json(r.steps)},
              {"series_interval_s", r.series_interval_s},
              {"series", series_json(r.series, r.series_interval_s)},
              {"client_cpu_us_per_request", per_request(r.client_cpu_s * 1e6, r)},
              {"client_wakes_per_request", per_request(static_cast<double>(r.client_wakes), r)}};
}

void merge(SliceResult* into, const SliceResult& other) {
  // The later of two slices of one pool knows the pool's whole life.
  const bool first = into->scheduled == 0;
  into->per_connection_min = first ? other.per_connection_min
                                   : std::max(into->per_connection_min, other.per_connection_min);
  into->per_connection_max = std::max(into->per_connection_max, other.per_connection_max);
  into->target_rate =
      mean_rate(into->target_rate, into->duration_s, other.target_rate, other.duration_s);
  into->achieved_rate =
      mean_rate(into->achieved_rate, into->duration_s, other.achieved_rate, other.duration_s);
  into->duration_s += other.duration_s;
  into->series.clear();
  into->steps.clear();
  add_counts(into, other);
}

void merge_workers(SliceResult* into, const SliceResult& other) {
  into->per_connection_min = std::min(into->per_connection_min, other.per_connection_min);
  into->per_connection_max = std::max(into->per_connection_max, other.per_connection_max);
  into->target_rate = std::max(into->target_rate, other.target_rate);
  into->achieved_rate += other.achieved_rate;
  into->duration_s = std::max(into->duration_s, other.duration_s);
  // A cut may have come to one of them after another interval had begun.
  if (into->series.size() < other.series.size()) into->series.resize(other.series.size());
  for (std::size_t i = 0; i < other.series.size(); ++i) {
    into->series[i].counts.add(other.series[i].counts);
    into->series[i].latency.merge(other.series[i].latency);
  }
  for (std::size_t i = 0; i < other.steps.size(); ++i) {
    if (i == into->steps.size()) {
      into->steps.push_back(other.steps[i]);
      continue;
    }
    into->steps[i].sent_in_time += other.steps[i].sent_in_time;
    into->steps[i].counts.add(other.steps[i].counts);
    into->steps[i].latency.merge(other.steps[i].latency);
  }
  add_counts(into, other);
}

Status check_identities(const SliceResult& r) {
  const std::uint64_t accounted = r.sent + r.missed + r.expired;
  if (r.scheduled != accounted) {
    return fail(ErrorKind::kInternal,
                "the load's counts do not add up: scheduled " + std::to_string(r.scheduled) +
                    ", but sent + missed + expired = " + std::to_string(accounted),
                "please report this; the slice must not be used");
  }
  const std::uint64_t ended =
      r.ok + r.bad_status + r.reset + r.timeout + r.connection_error + r.unfinished;
  if (r.sent != ended) {
    return fail(ErrorKind::kInternal,
                "the load's counts do not add up: sent " + std::to_string(r.sent) + ", but " +
                    std::to_string(ended) + " have an outcome",
                "please report this; the slice must not be used");
  }
  std::uint64_t named = 0;
  for (const auto& [why, count] : r.failures) named += count;
  if (named != r.reset + r.timeout + r.connection_error) {
    return fail(ErrorKind::kInternal,
                "the load's counts do not add up: " +
                    std::to_string(r.reset + r.timeout + r.connection_error) +
                    " requests failed, but " + std::to_string(named) + " have a reason",
                "please report this; the slice must not be used");
  }
  return {};
}

}  // namespace hone::traffic::load
