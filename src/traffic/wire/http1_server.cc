// Small answers are copied into one buffer, so that a head and its body, or several pipelined
// answers, leave in one write. A large plain body is not: once the buffer is empty, output() shows
// the filler itself.
#include "traffic/wire/http1_server.h"

#include <algorithm>

#include "traffic/wire/filler.h"
#include "traffic/wire/http2_server.h"

namespace hone::traffic::wire {
namespace {

// RFC 9113 3.4.
constexpr std::string_view kHttp2Preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

// How much is made ahead of the socket: a default socket buffer's worth, and the size of what is
// copied at most when a body is large.
constexpr std::size_t kAheadBytes = 128 << 10;
constexpr std::size_t kRefillBelowBytes = 32 << 10;

// A plain body with more than this left is sent from where it lies.
constexpr std::uint64_t kUncopiedBytes = 64 << 10;

// Requests open at once. Generators pipeline 16 to 64; the bound keeps a peer that never reads its
// answers from filling the memory.
constexpr std::uint64_t kMaxPipelined = 1024;

}  // namespace

Http1Server::Http1Server(ServerEvents* events, std::size_t body_limit)
    : events_(events), body_limit_(body_limit), parser_(body_limit), ring_(1) {}

Status Http1Server::receive(std::string_view bytes) {
  if (http2_ != nullptr) return http2_->receive(bytes);
  if (decided_) return receive_requests(bytes);
  undecided_.append(bytes);
  const auto known = std::min(undecided_.size(), kHttp2Preface.size());
  const bool may_be_http2 =
      std::string_view(undecided_).substr(0, known) == kHttp2Preface.substr(0, known);
  if (may_be_http2 && known < kHttp2Preface.size()) return {};
  decided_ = true;
  const std::string first = std::move(undecided_);
  if (!may_be_http2) return receive_requests(first);
  http2_ = std::make_unique<Http2Server>(events_, body_limit_);
  return http2_->receive(first);
}

Status Http1Server::receive_requests(std::string_view bytes) {
  if (violation_ != nullptr) return refuse(0, violation_);
  while (!bytes.empty() && taking_) {
    switch (parser_.parse(&bytes)) {
      case Http1RequestParser::Outcome::kMore:
        return {};
      case Http1RequestParser::Outcome::kHead:
        if (parser_.take_body(events_->keeps_body(parser_.request())) ==
            Http1RequestParser::Outcome::kRefused) {
          return refuse(parser_.refusal_status(), parser_.violation());
        }
        continue_owed_ = parser_.expects_continue();
        if (continue_owed_) advance();
        break;
      case Http1RequestParser::Outcome::kRefused:
        return refuse(parser_.refusal_status(), parser_.violation());
      case Http1RequestParser::Outcome::kRequest: {
        if (next_ - first_ >= kMaxPipelined) return refuse(429, "more than 1,024 requests at once");
        continue_owed_ = false;
        const auto stream =
            open_exchange({parser_.to_head(), parser_.minor_version_0(), parser_.keep_alive()});
        taking_ = parser_.keep_alive();
        events_->on_request(stream, parser_.request());
        break;
      }
    }
  }
  return {};
}

Status Http1Server::refuse(int status, Violation violation) {
  if (violation_ == nullptr) {
    violation_ = violation;
    taking_ = false;
    continue_owed_ = false;
    Reply reply;
    reply.status = status;
    reply.close = true;
    reply.body = std::string(violation) + "\n";
    respond(open_exchange({}), reply);
  }
  return fail(ErrorKind::kNetwork,
              std::string("the HTTP/1 peer's request is refused: ") + violation);
}

std::uint64_t Http1Server::open_exchange(const Http1Asked& asked) {
  if (next_ - first_ == ring_.size()) {
    std::vector<Exchange> larger(ring_.size() * 2);
    for (std::uint64_t s = first_; s < next_; ++s) {
      larger[s & (larger.size() - 1)] = std::move(exchange(s));
    }
    ring_ = std::move(larger);
  }
  Exchange& opened = exchange(next_);
  opened.asked = asked;
  opened.answered = opened.begun = false;
  return next_++;
}

bool Http1Server::respond(std::uint64_t stream, const Reply& reply) {
  if (http2_ != nullptr) return http2_->respond(stream, reply);
  if (stream < first_ || stream >= next_ || exchange(stream).answered) return false;
  Exchange& answered = exchange(stream);
  answered.answered = true;
  if (stream == first_) {  // its turn: no second copy
    answered.begun = true;
    write_answer(reply, answered.asked, events_->date(), &out_.tail(), &answered.answer);
    advance();
  } else {
    answered.front.clear();
    write_answer(reply, answered.asked, events_->date(), &answered.front, &answered.answer);
  }
  return true;
}

void Http1Server::advance() {
  while (first_ < next_ && exchange(first_).answered) {
    Exchange& front = exchange(first_);
    if (!front.begun) {
      if (out_.size() >= kAheadBytes) return;
      out_.append(front.front);
      front.front.clear();
      front.begun = true;
    }
    if (!fill(front)) return;
    out_.append(front.answer.back);
    if (front.answer.close) return end_after_front();
    ++first_;
  }
  if (continue_owed_ && first_ == next_) {
    continue_owed_ = false;
    out_.append("HTTP/1.1 100 Continue\r\n\r\n");
  }
}

bool Http1Server::fill(Exchange& front) {
  Http1Answer& answer = front.answer;
  while (answer.filler > 0) {
    const bool shown = !answer.chunked && answer.filler > kUncopiedBytes && out_.empty();
    if (shown || out_.size() >= kAheadBytes) return false;
    write_filler(&answer, &out_.tail());
  }
  return true;
}

void Http1Server::end_after_front() {
  taking_ = false;
  continue_owed_ = false;
  const std::uint64_t lost_from = first_ + 1;
  const std::uint64_t lost_to = next_;
  first_ = next_;
  for (std::uint64_t stream = lost_from; stream < lost_to; ++stream) {
    if (!exchange(stream).answered) events_->on_request_lost(stream);
  }
}

void Http1Server::end_of_input() {
  if (http2_ != nullptr) return http2_->end_of_input();
  taking_ = false;
  continue_owed_ = false;
}

std::string_view Http1Server::output() {
  if (http2_ != nullptr) return http2_->output();
  if (out_.size() < kRefillBelowBytes) advance();
  if (!out_.empty() || first_ == next_) return out_.view();
  const Exchange& front = exchange(first_);
  if (!front.begun) return {};
  return filler(front.answer.offset, front.answer.filler);
}

void Http1Server::consume(std::size_t bytes) {
  if (http2_ != nullptr) return http2_->consume(bytes);
  if (!out_.empty()) return out_.consume(bytes);
  Http1Answer& answer = exchange(first_).answer;
  answer.filler -= bytes;
  answer.offset += bytes;
}

bool Http1Server::finished() const {
  if (http2_ != nullptr) return http2_->finished();
  return !taking_ && first_ == next_ && out_.empty();
}

}  // namespace hone::traffic::wire
