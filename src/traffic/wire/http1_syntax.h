// The words of HTTP/1.1 that requests and responses share (RFC 9112): lines, header fields, the
// fields that tell where a body ends, and chunked bodies. Everything takes its bytes at any split:
// a line that lies whole in the input is read in place, only a split one is copied.
//
// Violations are named by constant text, so that the path without one costs a null check.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace hone::traffic::wire {

// The most bytes a head (start line and fields) or a trailer section may have. Far above the limits
// of the servers at hand (nginx 32 KiB, Envoy 60 KiB by default), so that theirs are met first.
inline constexpr std::size_t kMaxHeadBytes = 256 << 10;

// nullptr, or the name of what is wrong.
using Violation = const char*;

bool is_token(std::string_view text);     // RFC 9110 5.6.2; not empty
bool has_control(std::string_view text);  // any control character but the tab
bool equals_lower(std::string_view text, std::string_view lower);  // ASCII, ignoring case
std::string_view trim_blanks(std::string_view text);               // spaces and tabs

class LineReader {
 public:
  enum class Outcome { kLine, kMore, kTooLong };
  // Takes one line from the front of *input, or all of *input when its end is not there yet. *line
  // is without its ending and valid until the next call. `limit` counts the ending.
  Outcome next(std::string_view* input, std::size_t limit, std::string_view* line) {
    if (line_was_carried_) {
      carry_.clear();
      line_was_carried_ = false;
    }
    const auto end = input->find('\n');
    if (end == std::string_view::npos || !carry_.empty())
      return next_split(input, end, limit, line);
    taken_ = end + 1;
    if (taken_ > limit) return Outcome::kTooLong;
    crlf_ = end > 0 && (*input)[end - 1] == '\r';
    *line = input->substr(0, end - (crlf_ ? 1 : 0));
    input->remove_prefix(taken_);
    return Outcome::kLine;
  }
  std::size_t line_bytes() const { return taken_; }  // of the last line, with its ending
  bool line_ended_in_crlf() const { return crlf_; }

 private:
  Outcome next_split(std::string_view* input, std::size_t end, std::size_t limit,
                     std::string_view* line);

  std::string carry_;
  std::size_t taken_ = 0;
  bool crlf_ = false;
  bool line_was_carried_ = false;
};

struct Field {
  std::string_view name;   // as written
  std::string_view value;  // trimmed
};
Violation parse_field(std::string_view line, Field* field);

// What the header fields of one message say about its body and its connection.
class FramingFields {
 public:
  void clear() { *this = FramingFields(); }
  // Looks at one field; *framing tells whether it was one of those that matter here.
  Violation add(const Field& field, bool* framing);

  bool has_length() const { return has_length_; }
  std::uint64_t length() const { return length_; }
  bool has_transfer_encoding() const { return coded_ || chunked_; }
  bool chunked() const { return chunked_; }  // "chunked" is the last coding
  bool coded() const { return coded_; }      // there are other codings
  bool close() const { return close_; }
  bool keep_alive() const { return keep_alive_; }

 private:
  Violation add_length(std::string_view value);
  Violation add_transfer_encoding(std::string_view value);
  void add_connection(std::string_view value);

  std::uint64_t length_ = 0;
  bool has_length_ = false;
  bool chunked_ = false;
  bool coded_ = false;
  bool close_ = false;
  bool keep_alive_ = false;
};

class ChunkedBody {
 public:
  enum class Outcome { kMore, kData, kEnd, kViolation };
  void restart();
  // Takes from the front of *input until there is something to tell. kData: *data is the next piece
  // of the body, inside the input. kMore: the input is used up.
  Outcome next(std::string_view* input, std::string_view* data);
  Violation violation() const { return violation_; }
  bool too_large() const { return too_large_; }  // the violation is the trailers' size

 private:
  enum class State { kSize, kData, kDataCr, kDataLf, kTrailer };
  Outcome violate(Violation violation);
  Violation parse_size(std::string_view line);

  LineReader lines_;
  State state_ = State::kSize;
  std::uint64_t left_ = 0;  // of this chunk
  std::size_t trailer_bytes_ = 0;
  bool too_large_ = false;
  Violation violation_ = nullptr;
};

}  // namespace hone::traffic::wire
