// Strict where a reader's kindness has let requests be smuggled (RFC 9112 11.2): folded lines,
// blanks before a colon, unknown transfer codings, lengths that disagree are all refused. The
// status says which kind of refusal it is; the session answers with it and closes.
#include "traffic/wire/http1_request_parser.h"

#include <algorithm>

namespace hone::traffic::wire {
namespace {

// Above this, a body's memory is given back after its request: one large upload should not stay
// with its connection for good.
constexpr std::size_t kKeptBodyBytes = 256 << 10;

}  // namespace

Http1RequestParser::Outcome Http1RequestParser::refuse(int status, Violation violation) {
  refusal_status_ = status;
  violation_ = violation;
  return Outcome::kRefused;
}

void Http1RequestParser::restart() {
  if (body_.capacity() > kKeptBodyBytes) std::string().swap(body_);
  body_.clear();
  body_bytes_ = 0;
  keep_body_ = true;
  fields_.clear();
  host_.clear();
  header_count_ = 0;
  head_bytes_ = 0;
  has_host_ = false;
  expects_continue_ = false;
}

Http1RequestParser::Outcome Http1RequestParser::parse(std::string_view* input) {
  while (!input->empty()) {
    Outcome outcome = Outcome::kMore;
    switch (state_) {
      case State::kRequestLine:
      case State::kFields:
        outcome = parse_head(input);
        break;
      case State::kLength:
        outcome = parse_length_body(input);
        break;
      case State::kChunked:
        outcome = parse_chunked_body(input);
        break;
    }
    if (outcome != Outcome::kMore) return outcome;
  }
  return Outcome::kMore;
}

Http1RequestParser::Outcome Http1RequestParser::parse_head(std::string_view* input) {
  std::string_view line;
  while (!input->empty()) {
    if (state_ == State::kRequestLine && head_bytes_ == 0) restart();
    const auto read = lines_.next(input, kMaxHeadBytes - head_bytes_, &line);
    if (read == LineReader::Outcome::kMore) return Outcome::kMore;
    if (read == LineReader::Outcome::kTooLong) return refuse(431, "a head above 256 KiB");
    head_bytes_ += lines_.line_bytes();
    Outcome outcome = Outcome::kMore;
    if (state_ == State::kRequestLine) {
      if (line.empty()) continue;  // RFC 9112 2.2: an empty line before the request line is skipped
      outcome = parse_request_line(line);
      state_ = State::kFields;
    } else if (!line.empty()) {
      outcome = parse_header_line(line);
    } else {
      return head_is_whole();
    }
    if (outcome != Outcome::kMore) return outcome;
  }
  return Outcome::kMore;
}

Http1RequestParser::Outcome Http1RequestParser::parse_request_line(std::string_view line) {
  const auto method_end = line.find(' ');
  const auto target_end = line.rfind(' ');
  if (method_end == std::string_view::npos || method_end == target_end) {
    return refuse(400, "a request line without method, target and version");
  }
  const auto method = line.substr(0, method_end);
  const auto target = line.substr(method_end + 1, target_end - method_end - 1);
  const auto version = line.substr(target_end + 1);
  if (!is_token(method)) return refuse(400, "a method that is not a token");
  if (version.size() != 8 || version.substr(0, 5) != "HTTP/" || version[6] != '.') {
    return refuse(400, "a request line without an HTTP version");
  }
  if (version != "HTTP/1.1" && version != "HTTP/1.0") {
    return refuse(505, "a version that is neither HTTP/1.0 nor HTTP/1.1");
  }
  if (target.empty() || has_control(target) || target.find_first_of(" \t") != target.npos) {
    return refuse(400, "a blank or control character in the request target");
  }
  minor_version_0_ = version.back() == '0';
  method_.assign(method);
  target_.assign(target);
  return split_target();
}

Http1RequestParser::Outcome Http1RequestParser::split_target() {
  const std::string_view target = target_;
  path_ = target;
  authority_ = {};
  if (target.front() == '/' || target == "*") return Outcome::kMore;
  // The absolute form, as sent to proxies; its authority wins over the host header (RFC
  // 9112 3.2.2).
  const auto scheme_end = target.find("://");
  const auto scheme = target.substr(0, scheme_end);
  const bool known = equals_lower(scheme, "http") || equals_lower(scheme, "https");
  if (scheme_end == std::string_view::npos || !known) {
    return refuse(400, "a request target that is neither a path nor a URL");
  }
  const auto after = target.substr(scheme_end + 3);
  const auto authority_end = std::min(after.find_first_of("/?"), after.size());
  authority_ = after.substr(0, authority_end);
  path_ = after.substr(authority_end);
  if (authority_.empty()) return refuse(400, "a request target without a host");
  if (path_.empty()) path_ = "/";
  return Outcome::kMore;
}

Http1RequestParser::Outcome Http1RequestParser::parse_header_line(std::string_view line) {
  if (line.front() == ' ' || line.front() == '\t') return refuse(400, "a folded header line");
  Field field;
  if (Violation violation = parse_field(line, &field)) return refuse(400, violation);
  bool framing = false;
  if (Violation violation = fields_.add(field, &framing)) return refuse(400, violation);
  if (!framing && equals_lower(field.name, "host")) {
    if (has_host_) return refuse(400, "two host headers");
    has_host_ = true;
    host_.assign(field.value);
    return Outcome::kMore;
  }
  if (!framing && equals_lower(field.name, "expect")) {
    if (!equals_lower(field.value, "100-continue")) return refuse(417, "an unknown expectation");
    expects_continue_ = true;
  }
  keep_header(field);
  return Outcome::kMore;
}

void Http1RequestParser::keep_header(const Field& field) {
  if (header_count_ == headers_.size()) headers_.emplace_back();
  Header& header = headers_[header_count_++];
  header.name.assign(field.name);
  for (char& c : header.name) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c | 0x20);
  }
  header.value.assign(field.value);
}

Http1RequestParser::Outcome Http1RequestParser::head_is_whole() {
  if (!minor_version_0_ && !has_host_) return refuse(400, "a request without a host header");
  if (authority_.empty()) authority_ = host_;
  keep_alive_ = minor_version_0_ ? fields_.keep_alive() && !fields_.close() : !fields_.close();
  if (fields_.has_transfer_encoding()) {
    // Without a last "chunked" nobody can tell where a request ends (RFC 9112 6.3).
    if (!fields_.chunked()) return refuse(400, "a transfer-encoding that does not end in chunked");
    if (fields_.coded()) return refuse(501, "a transfer coding other than chunked");
    if (minor_version_0_) return refuse(400, "transfer-encoding in an HTTP/1.0 request");
    chunks_.restart();
    state_ = State::kChunked;
  } else if (fields_.length() > 0) {
    left_ = fields_.length();
    state_ = State::kLength;
  } else {
    return request_is_whole();
  }
  show_head();
  return Outcome::kHead;
}

Http1RequestParser::Outcome Http1RequestParser::take_body(bool keep) {
  keep_body_ = keep;
  if (keep && fields_.length() > body_limit_) return refuse(413, "a body above the limit");
  return Outcome::kMore;
}

Http1RequestParser::Outcome Http1RequestParser::parse_length_body(std::string_view* input) {
  const auto piece = static_cast<std::size_t>(std::min<std::uint64_t>(left_, input->size()));
  const std::string_view data = input->substr(0, piece);
  input->remove_prefix(piece);
  left_ -= piece;
  body_bytes_ += piece;
  if (!keep_body_) return left_ == 0 ? request_is_whole() : Outcome::kMore;
  if (left_ == 0 && body_.empty()) {  // it lies whole in the input: no copy
    const Outcome outcome = request_is_whole();
    request_.body = data;
    return outcome;
  }
  body_.append(data);
  return left_ == 0 ? request_is_whole() : Outcome::kMore;
}

Http1RequestParser::Outcome Http1RequestParser::parse_chunked_body(std::string_view* input) {
  std::string_view data;
  switch (chunks_.next(input, &data)) {
    case ChunkedBody::Outcome::kMore:
      return Outcome::kMore;
    case ChunkedBody::Outcome::kViolation:
      return refuse(400, chunks_.violation());
    case ChunkedBody::Outcome::kEnd:
      return request_is_whole();
    case ChunkedBody::Outcome::kData:
      break;
  }
  body_bytes_ += data.size();
  if (!keep_body_) return Outcome::kMore;
  if (body_.size() + data.size() > body_limit_) return refuse(413, "a body above the limit");
  body_.append(data);
  return Outcome::kMore;
}

void Http1RequestParser::show_head() {
  // Shrinking frees the strings of a longer header list before; equal requests keep theirs.
  headers_.resize(header_count_);
  request_.method = method_;
  request_.path = path_;
  request_.authority = authority_;
  request_.headers = &headers_;
  request_.body = {};
}

Http1RequestParser::Outcome Http1RequestParser::request_is_whole() {
  show_head();
  request_.body = body_;
  request_.body_bytes = body_bytes_;
  state_ = State::kRequestLine;
  head_bytes_ = 0;
  return Outcome::kRequest;
}

}  // namespace hone::traffic::wire
