#include "traffic/load/recorder.h"

#include <algorithm>

namespace hone::traffic::load {

using system::Instant;

void add_named(std::map<std::string, std::uint64_t>* into, const wire::FailureCounts& counts,
               const wire::FailureCounts& before) {
  for (std::size_t i = 0; i < wire::kFailures; ++i) {
    const auto why = static_cast<wire::Failure>(i);
    if (const auto more = counts[why] - before[why]; more != 0) (*into)[name(why)] += more;
  }
}

void Recorder::begin(const SliceSpec& spec, Instant start) {
  result_ = SliceResult();
  result_.target_rate = spec.closed_loop ? 0 : spec.rate;
  result_.duration_s = spec.duration_s;
  status_.fill(0);
  failures_ = {};
  std::fill(per_request_.begin(), per_request_.end(), Counts());
  start_ = last_end_ = start;
  sent_in_time_ = 0;
  in_time_until_ = start + system::seconds(spec.duration_s) + kMissedAfter;
}

void Recorder::cut(Instant now) {
  result_.duration_s = system::to_seconds(std::max(now, start_) - start_);
  in_time_until_ = std::max(now, start_) + kMissedAfter;
}

void Recorder::scheduled(int line) {
  ++result_.scheduled;
  ++per_line_[static_cast<std::size_t>(line)];
}

void Recorder::sent(Instant due, Instant now, bool was_blocked, std::uint16_t request) {
  ++result_.sent;
  ++per_request_[request].sent;
  result_.lateness.record((now - due).count());
  if (!was_blocked) result_.generator_lateness.record((now - due).count());
  if (now <= in_time_until_) ++sent_in_time_;
}

void Recorder::answered(Instant due, Instant sent, Instant now, int status,
                        std::uint64_t body_bytes, std::uint16_t request) {
  const bool known = status >= 100 && status < static_cast<int>(status_.size());
  ++status_[known ? static_cast<std::size_t>(status) : 0];
  if (status >= 200 && status < 400) {
    ++result_.ok;
    ++per_request_[request].ok;
  } else {
    ++result_.bad_status;
  }
  result_.body_bytes += body_bytes;
  result_.latency.record((now - due).count());
  result_.service.record((now - sent).count());
  last_end_ = std::max(last_end_, now);
}

void Recorder::reset(wire::Failure why, Instant now) {
  ++result_.reset;
  failures_.add(why);
  last_end_ = std::max(last_end_, now);
}

void Recorder::connection_error(wire::Failure why, Instant now) {
  ++result_.connection_error;
  failures_.add(why);
  last_end_ = std::max(last_end_, now);
}

void Recorder::timeout(Instant due, Instant now) {
  ++result_.timeout;
  failures_.add(wire::Failure::kTimeout);
  result_.latency.record((now - due).count());
  last_end_ = std::max(last_end_, now);
}

void Recorder::expired(Instant due, Instant now) {
  ++result_.expired;
  result_.latency.record((now - due).count());
  last_end_ = std::max(last_end_, now);
}

void Recorder::unfinished(Instant due, Instant now) {
  ++result_.unfinished;
  result_.latency.record((now - due).count());
  last_end_ = std::max(last_end_, now);
}

SliceResult Recorder::result(bool closed_loop) const {
  SliceResult result = result_;
  for (std::size_t code = 0; code < status_.size(); ++code) {
    if (status_[code] != 0) result.status[std::to_string(code)] = status_[code];
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
