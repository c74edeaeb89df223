// Reads HTTP/1.1 requests, bodies included, from bytes at any split. Memory is kept from request to
// request: a connection that repeats a request allocates nothing for it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "traffic/wire/http1_syntax.h"
#include "traffic/wire/server_session.h"

namespace hone::traffic::wire {

class Http1RequestParser {
 public:
  // kHead: the head is whole and a body follows; take_body() is called before the next parse().
  enum class Outcome { kMore, kHead, kRequest, kRefused };

  explicit Http1RequestParser(std::size_t body_limit) : body_limit_(body_limit) {}

  // Takes from the front of *input up to the end of the request; after kRefused nothing more.
  Outcome parse(std::string_view* input);

  // After kHead: whether the body is kept, up to the limit, or only counted. kMore or kRefused.
  Outcome take_body(bool keep);
  // After kHead: the client waits for "100 Continue" before it sends the body.
  bool expects_continue() const { return expects_continue_ && !minor_version_0_; }

  // After kRequest, and without the body after kHead; valid until the next parse().
  const RequestView& request() const { return request_; }
  bool to_head() const { return request_.method == "HEAD"; }
  bool minor_version_0() const { return minor_version_0_; }
  bool keep_alive() const { return keep_alive_; }

  // After kRefused: the status to answer with, and why.
  int refusal_status() const { return refusal_status_; }
  Violation violation() const { return violation_; }

 private:
  enum class State { kRequestLine, kFields, kLength, kChunked };

  Outcome refuse(int status, Violation violation);
  Outcome parse_head(std::string_view* input);
  Outcome parse_length_body(std::string_view* input);
  Outcome parse_chunked_body(std::string_view* input);
  Outcome parse_request_line(std::string_view line);
  Outcome split_target();
  Outcome parse_header_line(std::string_view line);
  void keep_header(const Field& field);
  Outcome head_is_whole();
  Outcome request_is_whole();
  void show_head();
  void restart();

  const std::size_t body_limit_;
  State state_ = State::kRequestLine;
  LineReader lines_;
  FramingFields fields_;
  ChunkedBody chunks_;
  std::string method_, target_, host_, body_;
  std::string_view path_, authority_;  // parts of target_, host_
  std::vector<Header> headers_;        // the first header_count_ belong to this request
  std::size_t header_count_ = 0;
  RequestView request_;
  std::size_t head_bytes_ = 0;
  std::uint64_t left_ = 0;  // of a body with a length
  std::uint64_t body_bytes_ = 0;
  bool keep_body_ = true;
  bool minor_version_0_ = false;
  bool keep_alive_ = false;
  bool has_host_ = false;
  bool expects_continue_ = false;
  int refusal_status_ = 0;
  Violation violation_ = nullptr;
};

}  // namespace hone::traffic::wire
