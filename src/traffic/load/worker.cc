// When a connection is made again.
//
// During a slice at once, because a request may be due on it; but one that was of no use (it never
// answered anything) waits first, twice as long each time, or a peer that refuses or closes every
// connection would turn this into a loop. What is due meanwhile waits as `blocked`: not being there
// is the subject's fault. Between slices it stays down: the subject may have been stopped, and the
// next slice brings all of them up before its clock starts.
//
// Churn: a connection that has had its requests or its time is retired and, once nothing is open on
// it, made again at once. What is due on it meanwhile waits as `blocked`. The first limits are
// drawn evenly from nothing to the whole: from then on the connections' ages stay spread as they
// are.
#include "traffic/load/worker.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace hone::traffic::load {

using system::Duration;
using system::Instant;

namespace {

// Connections begun at once. More than this and their SYNs overflow a common backlog (128 by
// default in several servers), and each one dropped costs a second.
constexpr std::size_t kConnectingAtOnce = 64;

// The first and the longest wait before a useless connection is made again. The second is the SYN
// retransmission time: waiting longer would lose to a server that has just come back.
constexpr Duration kFirstWait = std::chrono::milliseconds(10);
constexpr Duration kLongestWait = std::chrono::seconds(1);

// Tries in a row before connect() gives up on a line: a server that has just been started may drop
// the first one, one that refuses three times is not there.
constexpr int kTries = 3;

constexpr std::uint64_t kResumePurpose = 0x726573;  // "res"

std::vector<double> shares_of(const std::vector<RequestShare>& requests) {
  std::vector<double> shares;
  for (const RequestShare& entry : requests) shares.push_back(entry.share);
  return shares;
}

Error no_answer() { return fail(ErrorKind::kNetwork, "no answer in time").value(); }

}  // namespace

Result<std::unique_ptr<Worker>> Worker::make(system::net::Loop* loop, const PoolSpec& spec,
                                             const Share& share) {
  std::unique_ptr<Worker> worker(new Worker(loop, spec, share));
  if (Status made = worker->make_links(); !made) {
    worker->lines_.clear();  // they have no connection to close
    return tl::make_unexpected(made.error());
  }
  return worker;
}

Worker::Worker(system::net::Loop* loop, const PoolSpec& spec, const Share& share)
    : loop_(loop),
      spec_(spec),
      dispatcher_(share, this, system::seconds(spec.timeout_s), shares_of(spec.requests)),
      lines_(static_cast<std::size_t>(share.lines())),
      limits_(derive_seed(spec.churn_seed, static_cast<std::uint64_t>(share.worker))) {
  context_.loop = loop;
  context_.owner = this;
  context_.target = spec.target;
  context_.streams = spec.streams;
  context_.resume = spec.resume;
  context_.resume_draws = Random(derive_seed(limits_.next(), kResumePurpose));
  for (const RequestShare& entry : spec.requests) {
    context_.requests.push_back(wire::prepare(spec.target.protocol, entry.request));
  }
  loop_->add_pacer(this);
}

Status Worker::make_links() {
  const bool http3 = spec_.target.protocol == wire::Protocol::kHttp3;
  if (spec_.target.tls) {
    wire::ClientTlsOptions options;
    options.verify = spec_.target.verify;
    options.ca_pem = spec_.target.ca_pem;
    options.sni = spec_.target.sni.empty() ? spec_.target.address.host : spec_.target.sni;
    options.protocol = spec_.target.protocol;
    if (http3) {
      HONE_TRY(http3_, Http3Links::make(&context_, options));
    } else {
      HONE_TRY(context_.tls, wire::TlsContext::client(options));
    }
  }
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    const int line = static_cast<int>(i);
    lines_[i].connection =
        http3_ ? http3_->add(line) : std::make_unique<Connection>(line, &context_);
  }
  return {};
}

Worker::~Worker() {
  abort();
  loop_->remove_pacer(this);
}

// Connecting

void Worker::connect(std::function<void(Status)> done) {
  mode_ = Mode::kConnecting;
  connected_ = std::move(done);
  connect_limit_ = system::net::Loop::read_clock() + system::seconds(spec_.connect_limit_s);
  to_open_ = 0;
  last_failure_ = no_answer();
  for (LineState& line : lines_) line.failures = 0;
  close_aged(system::net::Loop::read_clock());
  open_next();
  // All up already, or failed at once: told by the next advance(), never from within this call.
}

void Worker::open_next() {
  while (to_open_ < lines_.size() && pending_.size() < kConnectingAtOnce) {
    const std::size_t line = to_open_++;
    if (lines_[line].phase == Phase::kDown) open(static_cast<int>(line));
  }
}

void Worker::open(int line) {
  LineState& state = state_of(line);
  if (state.phase == Phase::kDown || state.phase == Phase::kUp) pending_.push_back(line);
  state.phase = Phase::kConnecting;
  state.opened = system::net::Loop::read_clock();
  state.at = loop_->now() + system::seconds(spec_.connect_limit_s);
  lifetimes_.set(static_cast<std::size_t>(line), Instant::max());
  if (Status opened = state.connection->open(); !opened) {
    last_failure_ = opened.error();
    context_.connection_failures.add(state.connection->failure());
    wait_to_open(line);
  }
}

// Precondition: it is in pending_.
void Worker::wait_to_open(int line) {
  LineState& state = state_of(line);
  state.phase = Phase::kWaiting;
  const Duration wait = kFirstWait * (1 << std::min(state.failures, 10));
  state.at = loop_->now() + std::min(wait, kLongestWait);
  ++state.failures;
}

Instant Worker::look_after_pending(Instant now) {
  Instant next = Instant::max();
  for (std::size_t i = 0; i < pending_.size(); ++i) {
    const int line = pending_[i];
    LineState& state = state_of(line);
    if (state.phase == Phase::kWaiting && state.at <= now) open(line);
    if (state.phase == Phase::kConnecting && state.at <= now) {
      state.connection->close();
      last_failure_ = no_answer();
      context_.connection_failures.add(wire::Failure::kConnectTimeout);
      wait_to_open(line);
    }
    next = std::min(next, state.at);
  }
  return next;
}

void Worker::up(int line) {
  state_of(line).phase = Phase::kUp;
  std::erase(pending_, line);
  connecting_.record((system::net::Loop::read_clock() - state_of(line).opened).count());
  set_limits(line);
  if (mode_ == Mode::kConnecting) open_next();
  if (mode_ == Mode::kSlice) dispatcher_.line_ready(line, loop_->now());
}

void Worker::set_limits(int line) {
  LineState& state = state_of(line);
  const double part = state.opened_before ? 1 : limits_.uniform();
  state.opened_before = true;
  if (spec_.requests_per_connection > 0) {
    state.requests_left =
        std::max(1, static_cast<int>(std::ceil(part * spec_.requests_per_connection)));
  }
  if (spec_.connection_lifetime_s > 0) {
    lifetimes_.set(static_cast<std::size_t>(line),
                   loop_->now() + system::seconds(part * spec_.connection_lifetime_s));
  }
}

// Within a slice.
Instant Worker::retire_aged(Instant now) {
  while (lifetimes_.earliest() <= now) {
    const std::size_t id = lifetimes_.first();
    lifetimes_.set(id, Instant::max());
    const int line = static_cast<int>(id);
    if (!is_up(line) || !state_of(line).connection->retire()) continue;
    state_of(line).connection->close();
    dispatcher_.line_gone(line, wire::Failure::kNone, now);
    open(line);
  }
  return lifetimes_.earliest();
}

// Before a slice: those whose time came while nothing was sent.
void Worker::close_aged(Instant now) {
  while (lifetimes_.earliest() <= now) {
    const std::size_t id = lifetimes_.first();
    lifetimes_.set(id, Instant::max());
    hang_up(static_cast<int>(id));
  }
}

void Worker::down(int line, wire::Failure failure, const Error& why) {
  LineState& state = state_of(line);
  dispatcher_.line_gone(line, failure, loop_->now());
  if (failure != wire::Failure::kNone) context_.connection_failures.add(failure);
  last_failure_ = why;
  if (state.connection->was_useful()) state.failures = 0;
  if (mode_ == Mode::kIdle) {
    std::erase(pending_, line);
    state.phase = Phase::kDown;
    return;
  }
  if (state.connection->was_useful() || failure == wire::Failure::kNone) {
    open(line);
    return;
  }
  if (state.phase == Phase::kUp) pending_.push_back(line);
  wait_to_open(line);
}

// By the dispatcher, in place of a connection on which nothing more will be answered.
void Worker::renew(int line) {
  state_of(line).connection->close();
  context_.connection_failures.add(wire::Failure::kTimeout);
  open(line);
}

void Worker::finish_connecting(Status status) {
  mode_ = Mode::kIdle;
  for (const int line : pending_) {
    state_of(line).connection->close();
    state_of(line).phase = Phase::kDown;
  }
  pending_.clear();
  const auto done = std::exchange(connected_, nullptr);
  done(std::move(status));
}

void Worker::hang_up(int line) {
  if (mode_ == Mode::kSlice || !is_up(line)) return;
  state_of(line).connection->close();
  state_of(line).phase = Phase::kDown;
  dispatcher_.line_gone(line, wire::Failure::kNone, system::net::Loop::read_clock());
}

int Worker::connections_up() const {
  return static_cast<int>(std::count_if(lines_.begin(), lines_.end(), [](const LineState& line) {
    return line.phase == Phase::kUp;
  }));
}

std::vector<std::uint16_t> Worker::local_ports() const {
  std::vector<std::uint16_t> ports;
  for (const LineState& line : lines_) {
    ports.push_back(line.phase == Phase::kUp ? line.connection->local_port() : std::uint16_t{0});
  }
  return ports;
}

// Timers of connections run between slices too: they keep what rests alive.
Instant Worker::advance(Instant now) {
  if (!http3_) return advance_mode(now);
  http3_->advance(now);
  const Instant due = advance_mode(now);
  return std::min(due, http3_->next());
}

Instant Worker::advance_mode(Instant now) {
  switch (mode_) {
    case Mode::kIdle:
      return Instant::max();
    case Mode::kConnecting: {
      const Instant next = look_after_pending(now);
      const bool hopeless = std::any_of(pending_.begin(), pending_.end(), [this](int line) {
        return state_of(line).failures >= kTries;
      });
      if (hopeless || now >= connect_limit_) {
        finish_connecting(tl::make_unexpected(last_failure_));
      } else if (pending_.empty() && to_open_ == lines_.size()) {
        finish_connecting({});
      } else {
        return std::min(next, connect_limit_);
      }
      return Instant::max();
    }
    case Mode::kSlice: {
      const Instant reconnect = look_after_pending(now);
      const Instant age = retire_aged(now);
      const Instant due = dispatcher_.advance(now);
      if (!dispatcher_.finished(now)) return std::min({reconnect, age, due});
      finish_slice(now);
      return Instant::max();
    }
  }
  return Instant::max();
}

}  // namespace hone::traffic::load
