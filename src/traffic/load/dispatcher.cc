// The two ways to be late, and how they are kept apart.
//
// The generator's: advance() finds that a request's due time is more than 10 ms past. The loop
// calls advance() after every event, so nothing the subject does can cause that; the request is
// `missed`. The subject's: the request's line has no free slot (or is not up) when its time comes.
// It waits with its due time, `blocked`, and its latency runs on. It can end as anything but
// `missed`.
//
// A request given up on HTTP/2 leaves its stream open and its late answer is ignored: resetting the
// stream would take work off a subject that is behind, exactly when it is measured. When a line has
// no free slot and all that is open on it has been given up (on HTTP/1: its one request), nothing
// can come of it any more and it is made again. That can be at a timeout, but also when the last
// live answer uses up the line's requests or a GOAWAY comes. A line that has no slot although
// nothing is open (an upload answered early and not read to its end) may yet be free again: it has
// until a request that waits for it expires.
//
// A request that the peer says it never looked at goes to the next line that has a free slot (once
// after REFUSED_STREAM, after GOAWAY as often as it meets one); where none has, to the head of the
// next line's queue. It counts as sent once, and its latency still runs from its due time.
#include "traffic/load/dispatcher.h"

#include <algorithm>

namespace hone::traffic::load {

using system::Duration;
using system::Instant;

namespace {

// Requests known at once before the ring grows: 10 ms of 100,000/s.
constexpr std::size_t kFirstRing = 1024;

// A closed loop has no schedule that threads could share: each draws for itself.
constexpr std::uint64_t kClosedLoopPurpose = 0x636c6f;  // "clo"

}  // namespace

Dispatcher::Dispatcher(const Share& share, Lines* lines, Duration timeout,
                       const std::vector<double>& shares)
    : lines_(lines),
      timeout_(timeout),
      worker_(share.worker),
      schedule_(share, Mix(shares)),
      closed_loop_mix_(shares),
      recorder_(share.lines(), shares.size()),
      ring_(kFirstRing),
      mask_(kFirstRing - 1),
      state_(static_cast<std::size_t>(share.lines())) {}

void Dispatcher::prepare(const SliceSpec& spec) {
  spec_ = spec;
  recorder_.prepare(spec);
  if (spec.closed_loop) {
    const auto worker = static_cast<std::uint64_t>(worker_);
    closed_loop_mix_.seed(derive_seed(spec.seed, kClosedLoopPurpose + worker));
  } else {
    schedule_.prepare(spec);
  }
}

void Dispatcher::begin(Instant start) {
  active_ = true;
  started_ = false;
  start_ = start;
  end_ = start + system::seconds(spec_.duration_s);
  drain_end_ = end_ + system::seconds(spec_.drain_limit_s);
  recorder_.begin(spec_, start);
  if (!spec_.closed_loop) schedule_.begin(start);
}

Instant Dispatcher::advance(Instant now) {
  if (!active_) return Instant::max();
  for (const int line : dead_) renew_if_dead(line);
  dead_.clear();
  place_resent(now);
  give_up_late(now);
  Instant next = drain_end_;
  if (spec_.closed_loop) {
    if (now < start_) return start_;
    if (!started_) {
      started_ = true;
      for (std::size_t line = 0; line < state_.size(); ++line) fill(static_cast<int>(line), now);
    }
    if (now < end_) next = end_;
  } else {
    while (!schedule_.empty() && schedule_.next().at <= now) {
      schedule_one(schedule_.next(), now);
      schedule_.pop();
    }
    if (!schedule_.empty()) next = std::min(next, schedule_.next().at);
  }
  send_fresh();
  if (oldest_ != next_id_) next = std::min(next, record(oldest_).due + timeout_);
  return next;
}

void Dispatcher::cut(Instant now) {
  if (!active_ || now >= end_) return;
  advance(now);
  schedule_.cut();
  recorder_.cut(now);
  end_ = now;
  drain_end_ = end_ + system::seconds(spec_.drain_limit_s);
}

bool Dispatcher::finished(Instant now) const {
  if (!active_ || now >= drain_end_) return true;
  const bool all_due = spec_.closed_loop ? now >= end_ : schedule_.empty();
  return all_due && oldest_ == next_id_;
}

SliceResult Dispatcher::finish(Instant now) {
  // A generator held up for the whole drain still owes the rest of the schedule.
  while (!spec_.closed_loop && !schedule_.empty()) {
    recorder_.scheduled(schedule_.next().line, schedule_.next().at);
    recorder_.missed(schedule_.next().at);
    schedule_.pop();
  }
  while (oldest_ != next_id_) {
    Record& oldest = record(oldest_);
    if (oldest.state == State::kWaiting && !oldest.resent) {
      recorder_.expired(oldest.due, now);
    } else if (oldest.state != State::kEnded) {
      recorder_.unfinished(oldest.due, now);
    }
    oldest.state = State::kEnded;
    ++oldest_;
  }
  for (Line& line : state_) {
    line.first = line.last = kNone;
    line.abandoned = line.open;
  }
  resent_.clear();
  dead_.clear();
  active_ = false;
  return recorder_.result(spec_.closed_loop);
}

void Dispatcher::schedule_one(const Due& due, Instant now) {
  recorder_.scheduled(due.line, due.at);
  if (now - due.at > kMissedAfter) {
    recorder_.missed(due.at);
    return;
  }
  const std::uint64_t id = push(due);
  if (state_of(due.line).first == kNone && lines_->free_slots(due.line) > 0) {
    submit(due.line, id);
  } else {
    recorder_.blocked();
    record(id).blocked = true;
    wait_last(due.line, id);
  }
}

void Dispatcher::submit(int line, std::uint64_t id) {
  Line& state = state_of(line);
  Record& request = record(id);
  request.state = State::kOpen;
  request.next = kNone;
  ++state.open;
  if (state.fresh_first == kNone) {
    dirty_.push_back(line);
    state.fresh_first = id;
  } else {
    record(state.fresh_last).next = id;
  }
  state.fresh_last = id;
  lines_->submit(line, id, request.request);
}

// Each line's requests are stamped right before its own write: in a burst over 64 lines the last
// write comes 100 us after the first.
void Dispatcher::send_fresh() {
  for (const int line : dirty_) {
    Line& state = state_of(line);
    const Instant sent = lines_->now();
    for (std::uint64_t id = state.fresh_first; id != kNone;) {
      Record& request = record(id);
      request.sent = sent;
      if (request.resent) {
        recorder_.resent();
      } else {
        recorder_.sent(request.due, sent, request.blocked, request.request);
      }
      id = request.next;
    }
    state.fresh_first = state.fresh_last = kNone;
    lines_->send(line);
  }
  dirty_.clear();
}

// Submits what waits for the line, as far as it has slots; send_fresh() is the caller's.
void Dispatcher::fill(int line, Instant now) {
  while (state_of(line).first != kNone && lines_->free_slots(line) > 0) {
    const std::uint64_t id = state_of(line).first;
    unlink(line, id);
    submit(line, id);
  }
  if (!spec_.closed_loop || now < start_ || now >= end_) return;
  while (lines_->free_slots(line) > 0) {
    recorder_.scheduled(line, now);
    submit(line, push({now, line, closed_loop_mix_.draw()}));
  }
}

void Dispatcher::line_ready(int line, Instant now) {
  if (!active_) return;
  fill(line, now);
  send_fresh();
  // It cannot be made again from within its own event.
  if (state_of(line).abandoned > 0 && is_dead(line)) dead_.push_back(line);
}

void Dispatcher::answered(int line, std::uint64_t id, const wire::ResponseSummary& response,
                          Instant now) {
  Line& state = state_of(line);
  --state.open;
  if (!is_live(id)) {  // late: it has been counted
    --state.abandoned;
    return;
  }
  Record& request = record(id);
  recorder_.answered(request.due, request.sent, now, response, request.request);
  end(&request);
}

void Dispatcher::lost(int line, std::uint64_t id, wire::Loss why, wire::Failure failure,
                      Instant now) {
  Line& state = state_of(line);
  --state.open;
  if (!is_live(id)) {
    --state.abandoned;
    return;
  }
  Record& request = record(id);
  // A GOAWAY costs the peer a connection each time; what it refuses stream by stream is not offered
  // for ever.
  const bool once_more = !request.resent || failure == wire::Failure::kGoaway;
  if (why == wire::Loss::kUnprocessed && once_more) {
    request.resent = true;
    request.state = State::kWaiting;
    resent_.push_back(id);  // until the next advance(): the session that reports this is still busy
    return;
  }
  if (why == wire::Loss::kConnection) {
    recorder_.connection_error(request.due, failure, now);
  } else {
    recorder_.reset(request.due, failure, now);
  }
  end(&request);
}

void Dispatcher::place_resent(Instant now) {
  for (const std::uint64_t id : resent_) {
    Record& request = record(id);
    request.line = line_to_resend(request.line);
    if (now - request.due < timeout_ && lines_->free_slots(request.line) > 0) {
      submit(request.line, id);
    } else {
      wait_first(request.line, id);
    }
  }
  resent_.clear();
}

int Dispatcher::line_to_resend(int from) {
  const int count = static_cast<int>(state_.size());
  for (int step = 1; step < count; ++step) {
    const int line = (from + step) % count;
    if (lines_->free_slots(line) > 0) return line;
  }
  return (from + 1) % count;
}

// A reset, or an end that TLS did not announce, leaves something to be found here; otherwise the
// session has told of each. What is open is older than what waits, so the walk is short.
void Dispatcher::line_gone(int line, wire::Failure failure, Instant now) {
  int left = state_of(line).open - state_of(line).abandoned;
  for (std::uint64_t id = oldest_; left > 0 && id != next_id_; ++id) {
    Record& request = record(id);
    if (request.line != line || request.state != State::kOpen) continue;
    recorder_.connection_error(request.due, failure, now);
    request.state = State::kEnded;
    --left;
  }
  while (oldest_ != next_id_ && record(oldest_).state == State::kEnded) ++oldest_;
  state_of(line).open = state_of(line).abandoned = 0;
}

void Dispatcher::give_up_late(Instant now) {
  while (oldest_ != next_id_) {
    Record& request = record(oldest_);
    if (request.state == State::kEnded) {
      ++oldest_;
      continue;
    }
    if (now - request.due < timeout_) return;
    const int line = request.line;
    if (request.state == State::kWaiting) {
      unlink(line, oldest_);
      if (request.resent) {
        recorder_.timeout(request.due, now);
      } else {
        recorder_.expired(request.due, now);
      }
    } else {
      recorder_.timeout(request.due, now);
      ++state_of(line).abandoned;
    }
    end(&request);
    renew_if_dead(line);
  }
}

bool Dispatcher::is_dead(int line) {
  const Line& state = state_of(line);
  return state.abandoned == state.open && lines_->is_up(line) && lines_->free_slots(line) == 0;
}

void Dispatcher::renew_if_dead(int line) {
  if (!is_dead(line)) return;
  state_of(line).open = state_of(line).abandoned = 0;
  lines_->renew(line);
}

std::uint64_t Dispatcher::push(const Due& due) {
  if (next_id_ - oldest_ == ring_.size()) grow();
  const std::uint64_t id = next_id_++;
  record(id) = {due.at, due.at, kNone, due.line, due.request, State::kWaiting, false, false};
  return id;
}

void Dispatcher::grow() {
  std::vector<Record> larger(ring_.size() * 2);
  const std::uint64_t mask = larger.size() - 1;
  for (std::uint64_t id = oldest_; id != next_id_; ++id) {
    larger[static_cast<std::size_t>(id & mask)] = record(id);
  }
  ring_ = std::move(larger);
  mask_ = mask;
}

void Dispatcher::end(Record* request) {
  request->state = State::kEnded;
  while (oldest_ != next_id_ && record(oldest_).state == State::kEnded) ++oldest_;
}

void Dispatcher::wait_first(int line, std::uint64_t id) {
  Line& state = state_of(line);
  record(id).next = state.first;
  state.first = id;
  if (state.last == kNone) state.last = id;
}

void Dispatcher::wait_last(int line, std::uint64_t id) {
  Line& state = state_of(line);
  record(id).next = kNone;
  if (state.last == kNone) {
    state.first = id;
  } else {
    record(state.last).next = id;
  }
  state.last = id;
}

// Nearly always the first one: queues are in the order of due times, but for what was sent again.
void Dispatcher::unlink(int line, std::uint64_t id) {
  Line& state = state_of(line);
  std::uint64_t before = kNone;
  for (std::uint64_t at = state.first; at != id; at = record(at).next) before = at;
  const std::uint64_t after = record(id).next;
  (before == kNone ? state.first : record(before).next) = after;
  if (after == kNone) state.last = before;
}

}  // namespace hone::traffic::load
