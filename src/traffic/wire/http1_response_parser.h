// Reads the responses to HTTP/1.1 requests, one outstanding at a time, from bytes at any split. The
// body is counted, never kept.
#pragma once

#include <string_view>

#include "traffic/wire/failure.h"
#include "traffic/wire/http1_syntax.h"
#include "traffic/wire/message.h"

namespace hone::traffic::wire {

class Http1ResponseParser {
 public:
  enum class Outcome { kMore, kResponse, kViolation };

  // A response is awaited from here on; that to a HEAD request has no body.
  void expect(bool to_head);
  // Takes from the front of *input up to the end of the response.
  Outcome parse(std::string_view* input);
  // Whether the peer's end of stream completes the response.
  bool ended_by_close() const { return state_ == State::kUntilClose; }
  // What an end of the connection at this point does to the response.
  Failure cut_off() const;

  const ResponseSummary& summary() const { return summary_; }
  bool keep_alive() const { return keep_alive_; }
  Violation violation() const { return violation_; }
  Failure failure() const { return failure_; }  // the violation's class

 private:
  enum class State { kStatusLine, kFields, kLength, kChunked, kUntilClose };

  Outcome violate(Violation violation, Failure failure = Failure::kBrokenProtocol);
  // kResponse: the head, and with it the response, is whole; kMore: go on in state_.
  Outcome parse_head(std::string_view* input);
  Violation parse_status_line(std::string_view line);
  Violation parse_header_line(std::string_view line);
  Outcome head_is_whole();

  State state_ = State::kStatusLine;
  LineReader lines_;
  FramingFields fields_;
  ChunkedBody chunks_;
  ResponseSummary summary_;
  std::size_t head_bytes_ = 0;
  std::uint64_t left_ = 0;  // of a body with a length
  bool begun_ = false;      // something of it is here
  bool to_head_ = false;
  bool minor_version_0_ = false;
  bool keep_alive_ = false;
  bool fold_allowed_ = false;  // the last field may go on in the next line
  Violation violation_ = nullptr;
  Failure failure_ = Failure::kNone;
};

}  // namespace hone::traffic::wire
