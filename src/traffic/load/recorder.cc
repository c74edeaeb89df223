#include "traffic/load/recorder.h"

#include <algorithm>
#include <cmath>

namespace hone::traffic::load {

using system::Instant;

void add_named(std::map<std::string, std::uint64_t>* into, const wire::FailureCounts& counts,
               const wire::FailureCounts& before) {
  for (std::size_t i = 0; i < wire::kFailures; ++i) {
    const auto why = static_cast<wire::Failure>(i);
    if (const auto more = counts[why] - before[why]; more != 0) (*into)[name(why)] += more;
  }
}

void Recorder::prepare(const SliceSpec& spec) {
  const double interval_s = series_interval_s(spec.duration_s);
  const auto points = static_cast<std::size_t>(std::ceil(spec.duration_s / interval_s));
  prepared_series_.assign(std::max<std::size_t>(points, 1), {});
  std::vector<std::int64_t> ends;
  for (std::size_t i = 0; i < prepared_series_.size(); ++i) {
    ends.push_back(system::seconds(interval_s * static_cast<double>(i + 1)).count());
  }
  points_.set(std::move(ends));
  prepared_steps_.clear();
  if (spec.phases.empty() || spec.closed_loop) return;
  std::vector<std::int64_t> step_ends;
  double begin_s = 0;
  for (const RatePhase& phase : spec.phases) {
    prepared_steps_.push_back({phase, begin_s, 0, {}, {}});
    begin_s += phase.duration_s;
    step_ends.push_back(system::seconds(begin_s).count());
  }
  steps_.set(std::move(step_ends));
}

void Recorder::begin(const SliceSpec& spec, Instant start) {
  result_ = SliceResult();
  result_.series_interval_s = series_interval_s(spec.duration_s);
  if (prepared_series_.empty()) prepare(spec);
  result_.series = std::move(prepared_series_);
  result_.steps = std::move(prepared_steps_);
  result_.target_rate = spec.closed_loop ? 0 : spec.rate;
  result_.duration_s = spec.duration_s;
  status_.fill(0);
  grpc_status_.fill(0);
  failures_ = {};
  std::fill(per_request_.begin(), per_request_.end(), Counts());
  start_ = last_end_ = start;
  sent_in_time_ = 0;
  in_time_until_ = start + system::seconds(spec.duration_s) + kMissedAfter;
}

void Recorder::cut(Instant now) {
  result_.duration_s = system::to_seconds(std::max(now, start_) - start_);
  in_time_until_ = std::max(now, start_) + kMissedAfter;
  const double points = std::max(1.0, std::ceil(result_.duration_s / result_.series_interval_s));
  if (points < static_cast<double>(result_.series.size())) {
    result_.series.resize(static_cast<std::size_t>(points));
  }
  // What was not begun did not take place; what was, is as long as it lasted.
  while (!result_.steps.empty() && result_.steps.back().begin_s >= result_.duration_s) {
    result_.steps.pop_back();
  }
  if (result_.steps.empty()) return;
  StepResult& last = result_.steps.back();
  const double part = (result_.duration_s - last.begin_s) / last.phase.duration_s;
  last.phase.to = last.phase.from + (last.phase.to - last.phase.from) * std::min(part, 1.0);
  last.phase.duration_s *= std::min(part, 1.0);
}

// The bounds matter at the very instant of a cut only.
SeriesPoint& Recorder::point_at(Instant due) {
  return result_.series[std::min(points_.find((due - start_).count()), result_.series.size() - 1)];
}

StepResult* Recorder::step_at(Instant due) {
  if (result_.steps.empty()) return nullptr;
  return &result_.steps[std::min(steps_.find((due - start_).count()), result_.steps.size() - 1)];
}

void Recorder::count(Instant due, std::uint64_t IntervalCounts::* what) {
  ++(point_at(due).counts.*what);
  if (StepResult* step = step_at(due)) ++(step->counts.*what);
}

void Recorder::record_latency(Instant due, Instant now) {
  const std::int64_t latency = (now - due).count();
  result_.latency.record(latency);
  point_at(due).latency.record(latency);
  if (StepResult* step = step_at(due)) step->latency.record(latency);
}

void Recorder::scheduled(int line, Instant due) {
  ++result_.scheduled;
  count(due, &IntervalCounts::scheduled);
  ++per_line_[static_cast<std::size_t>(line)];
}

void Recorder::missed(Instant due) {
  ++result_.missed;
  count(due, &IntervalCounts::missed);
}

void Recorder::sent(Instant due, Instant now, bool was_blocked, std::uint16_t request) {
  ++result_.sent;
  count(due, &IntervalCounts::sent);
  ++per_request_[request].sent;
  result_.lateness.record((now - due).count());
  if (!was_blocked) result_.generator_lateness.record((now - due).count());
  if (now <= in_time_until_) ++sent_in_time_;
  if (StepResult* step = step_at(due)) {
    const double end_s = step->begin_s + step->phase.duration_s;
    if (now <= start_ + system::seconds(end_s) + kMissedAfter) ++step->sent_in_time;
  }
}

void Recorder::answered(Instant due, Instant sent, Instant now,
                        const wire::ResponseSummary& response, std::uint16_t request) {
  if (response.grpc && response.status == 200) {
    ++grpc_status_[static_cast<std::size_t>(response.grpc_status)];
  } else {
    const bool known = response.status >= 100 && response.status < static_cast<int>(status_.size());
    ++status_[known ? static_cast<std::size_t>(response.status) : 0];
  }
  if (response.ok()) {
    ++result_.ok;
    ++per_request_[request].ok;
    count(due, &IntervalCounts::ok);
  } else {
    ++result_.bad_status;
    count(due, &IntervalCounts::errors);
  }
  result_.body_bytes += response.body_bytes;
  record_latency(due, now);
  result_.service.record((now - sent).count());
  last_end_ = std::max(last_end_, now);
}

void Recorder::reset(Instant due, wire::Failure why, Instant now) {
  ++result_.reset;
  count(due, &IntervalCounts::errors);
  failures_.add(why);
  last_end_ = std::max(last_end_, now);
}

void Recorder::connection_error(Instant due, wire::Failure why, Instant now) {
  ++result_.connection_error;
  count(due, &IntervalCounts::errors);
  failures_.add(why);
  last_end_ = std::max(last_end_, now);
}

void Recorder::timeout(Instant due, Instant now) {
  ++result_.timeout;
  count(due, &IntervalCounts::errors);
  failures_.add(wire::Failure::kTimeout);
  record_latency(due, now);
  last_end_ = std::max(last_end_, now);
}

void Recorder::expired(Instant due, Instant now) {
  ++result_.expired;
  count(due, &IntervalCounts::expired);
  record_latency(due, now);
  last_end_ = std::max(last_end_, now);
}

void Recorder::unfinished(Instant due, Instant now) {
  ++result_.unfinished;
  count(due, &IntervalCounts::errors);
  record_latency(due, now);
  last_end_ = std::max(last_end_, now);
}

SliceResult Recorder::result(bool closed_loop) const {
  SliceResult result = result_;
  for (std::size_t code = 0; code < status_.size(); ++code) {
    if (status_[code] != 0) result.status[std::to_string(code)] = status_[code];
  }
  for (std::size_t code = 0; code < grpc_status_.size(); ++code) {
    if (grpc_status_[code] != 0) result.status["grpc-" + std::to_string(code)] = grpc_status_[code];
  }
  add_named(&result.failures, failures_, {});
  for (const Counts& counts : per_request_) {
    result.requests.push_back({"", 0, counts.sent, counts.ok});
  }
  const auto [least, most] = std::minmax_element(per_line_.begin(), per_line_.end());
  result.per_connection_min = *least;
  result.per_connection_max = *most;

  const double nominal_s = result_.duration_s;
  result.duration_s = system::to_seconds(last_end_ - start_);
  // Sends and not answers: the last answer's own latency would be charged to the rate, 1 % of a
  // slice of half a second for 5 ms. And not over the time to the last send: a single straggler,
  // sent a second into the drain, would make a third of such a slice's rate. A subject that cannot
  // keep up shows all the same, because then the sends themselves wait until after the end.
  const double span_s = closed_loop ? result.duration_s : nominal_s;
  const auto achieved = closed_loop ? result.ok + result.bad_status : sent_in_time_;
  result.achieved_rate = span_s > 0 ? static_cast<double>(achieved) / span_s : 0;
  return result;
}

}  // namespace hone::traffic::load
