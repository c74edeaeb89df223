// A worker's slice: what it counts from its start to its end, and which connections outlive it.
#include "traffic/load/worker.h"

#include <utility>

namespace hone::traffic::load {

using system::Instant;

void Worker::slice(Instant start, std::function<void(Result<SliceResult>)> done) {
  mode_ = Mode::kSlice;
  sliced_ = std::move(done);
  before_.bytes_in = context_.bytes_in;
  before_.bytes_out = context_.bytes_out;
  before_.usage = system::net::LoopThread::usage_of_this_thread();
  loop_->set_spin(dispatcher_.spec().spin);
  dispatcher_.begin(start);
  // What the peer closed since connect().
  for (std::size_t line = 0; line < lines_.size(); ++line) {
    if (lines_[line].phase == Phase::kDown) open(static_cast<int>(line));
  }
}

void Worker::send(int line) {
  Link& connection = *state_of(line).connection;
  connection.flush();
  if (connection.window_blocked()) dispatcher_.recorder().window_blocked();
  if (release_turn_ != loop_->turn()) {
    release_turn_ = loop_->turn();
    dispatcher_.recorder().release_turn();
  }
}

void Worker::answered(int line, std::uint64_t id, const wire::ResponseSummary& response) {
  dispatcher_.answered(line, id, response, loop_->now());
}

void Worker::lost(int line, std::uint64_t id, wire::Loss why, wire::Failure failure) {
  dispatcher_.lost(line, id, why, failure, loop_->now());
}

void Worker::settled(int line) {
  if (mode_ == Mode::kSlice) dispatcher_.line_ready(line, loop_->now());
}

void Worker::finish_slice(Instant now) {
  const auto usage = system::net::LoopThread::usage_of_this_thread();
  SliceResult result = dispatcher_.finish(now);
  name_requests(&result.requests);
  result.client_cpu_s = static_cast<double>(usage.cpu_ns - before_.usage.cpu_ns) * 1e-9;
  result.client_wakes = usage.wakes - before_.usage.wakes;
  result.bytes_in = context_.bytes_in - before_.bytes_in;
  result.bytes_out = context_.bytes_out - before_.bytes_out;
  result.connections_made = context_.connections_made -
                            std::exchange(before_.connections_made, context_.connections_made);
  result.handshakes_full =
      context_.handshakes_full - std::exchange(before_.handshakes_full, context_.handshakes_full);
  result.handshakes_resumed =
      context_.handshakes_resumed -
      std::exchange(before_.handshakes_resumed, context_.handshakes_resumed);
  result.handshakes_offered =
      context_.handshakes_offered -
      std::exchange(before_.handshakes_offered, context_.handshakes_offered);
  result.connecting = std::exchange(connecting_, {});
  add_named(&result.connection_failures, context_.connection_failures, before_.connection_failures);
  before_.connection_failures = context_.connection_failures;
  close_unsettled(now);
  const auto done = std::exchange(sliced_, nullptr);
  if (Status adds_up = check_identities(result); !adds_up) {
    done(tl::make_unexpected(adds_up.error()));
  } else {
    done(std::move(result));
  }
}

void Worker::name_requests(std::vector<RequestCounts>* counts) const {
  double sum = 0;
  for (const RequestShare& entry : spec_.requests) sum += entry.share;
  for (std::size_t i = 0; i < counts->size(); ++i) {
    const RequestShare& entry = spec_.requests[i];
    (*counts)[i].name =
        entry.name.empty() ? entry.request.method + " " + entry.request.path : entry.name;
    (*counts)[i].share = entry.share / sum;
  }
}

void Worker::cut() {
  if (mode_ == Mode::kSlice) dispatcher_.cut(loop_->now());
}

void Worker::abort() {
  const Instant now = system::net::Loop::read_clock();
  if (mode_ == Mode::kSlice) dispatcher_.finish(now);
  close_unsettled(now);
}

// Back to idle: lines that are not up, still owe an answer or could take no request are closed, and
// made again by the next connect().
void Worker::close_unsettled(Instant now) {
  if (mode_ == Mode::kSlice) loop_->set_spin(false);
  mode_ = Mode::kIdle;
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    const int line = static_cast<int>(i);
    if (is_up(line) && free_slots(line) > 0 && !dispatcher_.is_open(line)) continue;
    lines_[i].connection->close();
    lines_[i].phase = Phase::kDown;
    dispatcher_.line_gone(line, wire::Failure::kNone, now);
  }
  pending_.clear();
}

}  // namespace hone::traffic::load
