// A folded header line (RFC 9112 5.2) is read as part of the value before it, as a user agent must,
// unless that value frames the body: then it is refused, since what it says would be lost.
// 101 is refused: no request of ours asks for an upgrade.
#include "traffic/wire/http1_response_parser.h"

#include <algorithm>

#include "traffic/wire/client_session.h"

namespace hone::traffic::wire {

void Http1ResponseParser::expect(bool to_head) {
  state_ = State::kStatusLine;
  summary_ = ResponseSummary();
  head_bytes_ = 0;
  begun_ = false;
  to_head_ = to_head;
  keep_alive_ = false;
}

Http1ResponseParser::Outcome Http1ResponseParser::violate(Violation violation, Failure failure) {
  violation_ = violation;
  failure_ = failure;
  return Outcome::kViolation;
}

Failure Http1ResponseParser::cut_off() const {
  if (state_ > State::kFields) return Failure::kClosedInBody;
  return begun_ ? Failure::kClosedInHead : Failure::kClosedBeforeAnswer;
}

Http1ResponseParser::Outcome Http1ResponseParser::parse(std::string_view* input) {
  while (!input->empty()) {
    switch (state_) {
      case State::kStatusLine:
      case State::kFields: {
        const Outcome outcome = parse_head(input);
        if (outcome != Outcome::kMore) return outcome;
        break;
      }
      case State::kLength: {
        const auto piece = std::min<std::uint64_t>(left_, input->size());
        input->remove_prefix(static_cast<std::size_t>(piece));
        summary_.body_bytes += piece;
        left_ -= piece;
        if (left_ == 0) return Outcome::kResponse;
        break;
      }
      case State::kChunked: {
        std::string_view data;
        switch (chunks_.next(input, &data)) {
          case ChunkedBody::Outcome::kData:
            summary_.body_bytes += data.size();
            break;
          case ChunkedBody::Outcome::kEnd:
            return Outcome::kResponse;
          case ChunkedBody::Outcome::kViolation:
            return violate(chunks_.violation(),
                           chunks_.too_large() ? Failure::kHeadTooLarge : Failure::kBrokenProtocol);
          case ChunkedBody::Outcome::kMore:
            return Outcome::kMore;
        }
        break;
      }
      case State::kUntilClose:
        summary_.body_bytes += input->size();
        input->remove_prefix(input->size());
        break;
    }
  }
  return Outcome::kMore;
}

Http1ResponseParser::Outcome Http1ResponseParser::parse_head(std::string_view* input) {
  std::string_view line;
  begun_ = true;
  while (!input->empty()) {
    const auto outcome = lines_.next(input, kMaxHeadBytes - head_bytes_, &line);
    if (outcome == LineReader::Outcome::kMore) return Outcome::kMore;
    if (outcome == LineReader::Outcome::kTooLong) {
      return violate("a head above 256 KiB", Failure::kHeadTooLarge);
    }
    head_bytes_ += lines_.line_bytes();
    if (state_ == State::kStatusLine) {
      if (line.empty()) continue;  // RFC 9112 2.2 asks it of servers; some send one after a body
      if (Violation violation = parse_status_line(line)) return violate(violation);
      fields_.clear();
      fold_allowed_ = false;
      state_ = State::kFields;
    } else if (!line.empty()) {
      if (Violation violation = parse_header_line(line)) return violate(violation);
    } else if (summary_.status < 200) {
      if (summary_.status == 101) return violate("101 without an upgrade asked for");
      if (++summary_.informational > kMaxInformational) {
        return violate("more than 100 informational responses", Failure::kInformationalFlood);
      }
      head_bytes_ = 0;
      state_ = State::kStatusLine;
    } else {
      return head_is_whole();
    }
  }
  return Outcome::kMore;
}

Violation Http1ResponseParser::parse_status_line(std::string_view line) {
  // "HTTP/1.1 200 OK"; the reason, and the blank before it, may be missing.
  constexpr std::string_view kVersion = "HTTP/1.";
  constexpr std::size_t kStatusAt = 9;
  if (line.substr(0, kVersion.size()) != kVersion) return "a status line that is not HTTP/1";
  const auto digit = [&](std::size_t at) {
    return line.size() > at && line[at] >= '0' && line[at] <= '9' ? line[at] - '0' : -1;
  };
  const int minor = digit(kVersion.size());
  if (minor < 0 || line.size() <= kStatusAt || line[kStatusAt - 1] != ' ') {
    return "a status line that is not HTTP/1";
  }
  const int hundreds = digit(kStatusAt);
  const int tens = digit(kStatusAt + 1);
  const int ones = digit(kStatusAt + 2);
  const bool ended =
      line.size() == kStatusAt + 3 || (line.size() > kStatusAt + 3 && line[kStatusAt + 3] == ' ');
  if (hundreds < 1 || tens < 0 || ones < 0 || !ended) return "a status that is not three digits";
  if (has_control(line)) return "a control character in the status line";
  minor_version_0_ = minor == 0;
  summary_.status = hundreds * 100 + tens * 10 + ones;
  return nullptr;
}

Violation Http1ResponseParser::parse_header_line(std::string_view line) {
  if (line.front() == ' ' || line.front() == '\t') {
    if (!fold_allowed_) return "a folded header line where the body's framing could change";
    return has_control(line) ? "a control character in a header value" : nullptr;
  }
  Field field;
  if (Violation violation = parse_field(line, &field)) return violation;
  bool framing = false;
  const Violation violation = fields_.add(field, &framing);
  fold_allowed_ = !framing;
  return violation;
}

Http1ResponseParser::Outcome Http1ResponseParser::head_is_whole() {
  keep_alive_ = minor_version_0_ ? fields_.keep_alive() && !fields_.close() : !fields_.close();
  const bool no_body = to_head_ || summary_.status == 204 || summary_.status == 304;
  if (no_body) return Outcome::kResponse;
  if (fields_.chunked()) {
    if (minor_version_0_) keep_alive_ = false;  // RFC 9112 6.1: its framing is not to be trusted
    chunks_.restart();
    state_ = State::kChunked;
    return Outcome::kMore;
  }
  if (fields_.has_length()) {
    left_ = fields_.length();
    state_ = State::kLength;
    return left_ == 0 ? Outcome::kResponse : Outcome::kMore;
  }
  keep_alive_ = false;
  state_ = State::kUntilClose;
  return Outcome::kMore;
}

}  // namespace hone::traffic::wire
