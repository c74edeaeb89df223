// Choices where RFC 9112 leaves one:
//   A head line may end in a bare LF (2.2), as every server here accepts; the lines of chunked
//   framing, trailers among them, may not, since two readers who differ on them differ on where a
//   message ends. A length that is given twice with one value is taken, with two values refused
//   (6.3). A length beside transfer-encoding is refused, though a reader may prefer the latter: it
//   is the sign of a smuggled message, and a subject that sends it is wrong.
#include "traffic/wire/http1_syntax.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace hone::traffic::wire {
namespace {

// A chunk-size line with its extensions. Nobody here sends extensions; 4 KiB is a page of them.
constexpr std::size_t kMaxChunkLine = 4096;

// Lengths and chunk sizes stay below 2^60, so that sums of a few of them cannot overflow.
constexpr std::uint64_t kMaxBodyBytes = std::uint64_t{1} << 60;

constexpr auto kTokenTable = [] {
  std::array<bool, 256> table{};
  for (int c = '0'; c <= '9'; ++c) table[static_cast<std::size_t>(c)] = true;
  for (int c = 'a'; c <= 'z'; ++c) table[static_cast<std::size_t>(c)] = true;
  for (int c = 'A'; c <= 'Z'; ++c) table[static_cast<std::size_t>(c)] = true;
  for (const char c : std::string_view("!#$%&'*+-.^_`|~")) {
    table[static_cast<unsigned char>(c)] = true;
  }
  return table;
}();

bool is_token_char(char c) { return kTokenTable[static_cast<unsigned char>(c)]; }

bool is_control(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return (byte < 0x20 && byte != '\t') || byte == 0x7f;
}

char lower_of(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; }

// Calls take(element) for each non-empty element of a comma-separated list until it returns false.
template <typename Take>
void for_each_element(std::string_view list, Take take) {
  while (!list.empty()) {
    const auto comma = list.find(',');
    const auto element = trim_blanks(list.substr(0, comma));
    list.remove_prefix(comma == std::string_view::npos ? list.size() : comma + 1);
    if (!element.empty() && !take(element)) return;
  }
}

int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  c = lower_of(c);
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

}  // namespace

bool is_token(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), is_token_char);
}

// Eight bytes at a time (the well-known test for a byte below a bound, and for one that is zero, in
// a word): values can be long, and nearly none has such a character. A hit is looked at byte by
// byte, for a tab is one too.
bool has_control(std::string_view text) {
  constexpr std::uint64_t kOnes = 0x0101010101010101;
  constexpr std::uint64_t kHighs = 0x8080808080808080;
  std::size_t at = 0;
  for (std::uint64_t word = 0; at + sizeof word <= text.size(); at += sizeof word) {
    std::memcpy(&word, text.data() + at, sizeof word);
    const std::uint64_t below_blank = (word - kOnes * 0x20) & ~word & kHighs;
    const std::uint64_t no_del = word ^ kOnes * 0x7f;
    const std::uint64_t del = (no_del - kOnes) & ~no_del & kHighs;
    if ((below_blank | del) != 0) break;
  }
  return std::any_of(text.begin() + static_cast<std::ptrdiff_t>(at), text.end(), is_control);
}

bool equals_lower(std::string_view text, std::string_view lower) {
  return text.size() == lower.size() && std::equal(text.begin(), text.end(), lower.begin(),
                                                   [](char a, char b) { return lower_of(a) == b; });
}

std::string_view trim_blanks(std::string_view text) {
  const auto blank = [](char c) { return c == ' ' || c == '\t'; };
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return text;
}

LineReader::Outcome LineReader::next_split(std::string_view* input, std::size_t end,
                                           std::size_t limit, std::string_view* line) {
  const bool whole = end != std::string_view::npos;
  const std::size_t take = whole ? end + 1 : input->size();
  if (carry_.size() + take > limit) return Outcome::kTooLong;
  carry_.append(input->substr(0, take));
  input->remove_prefix(take);
  if (!whole) return Outcome::kMore;
  line_was_carried_ = true;
  taken_ = carry_.size();
  *line = std::string_view(carry_).substr(0, carry_.size() - 1);
  crlf_ = !line->empty() && line->back() == '\r';
  if (crlf_) line->remove_suffix(1);
  return Outcome::kLine;
}

Violation parse_field(std::string_view line, Field* field) {
  std::size_t colon = 0;
  while (colon < line.size() && is_token_char(line[colon])) ++colon;
  if (colon == line.size()) return "a header line without a colon";
  if (line[colon] != ':') return "a character that a header name cannot have";
  if (colon == 0) return "a header line without a name";
  field->name = line.substr(0, colon);
  field->value = trim_blanks(line.substr(colon + 1));
  if (has_control(field->value)) return "a control character in a header value";
  return nullptr;
}

Violation FramingFields::add(const Field& field, bool* framing) {
  *framing = true;
  // The length of the name rules out nearly every other field before any letter is compared.
  switch (field.name.size()) {
    case 10:
      if (!equals_lower(field.name, "connection")) break;
      add_connection(field.value);
      return nullptr;
    case 14:
      if (!equals_lower(field.name, "content-length")) break;
      return add_length(field.value);
    case 17:
      if (!equals_lower(field.name, "transfer-encoding")) break;
      return add_transfer_encoding(field.value);
    default:
      break;
  }
  *framing = false;
  return nullptr;
}

Violation FramingFields::add_length(std::string_view value) {
  if (value.empty()) return "an empty content-length";
  if (chunked_ || coded_) return "content-length together with transfer-encoding";
  Violation violation = nullptr;
  bool any = false;
  for_each_element(value, [&](std::string_view element) {
    any = true;
    std::uint64_t number = 0;
    for (const char c : element) {
      if (c < '0' || c > '9') {
        violation = "a content-length that is not a number";
        return false;
      }
      number = number * 10 + static_cast<std::uint64_t>(c - '0');
      if (number > kMaxBodyBytes) {
        violation = "a content-length beyond any body";
        return false;
      }
    }
    if (has_length_ && number != length_) violation = "conflicting content-length values";
    has_length_ = true;
    length_ = number;
    return violation == nullptr;
  });
  return any ? violation : "a content-length that is not a number";
}

Violation FramingFields::add_transfer_encoding(std::string_view value) {
  if (has_length_) return "content-length together with transfer-encoding";
  Violation violation = nullptr;
  bool any = false;
  for_each_element(value, [&](std::string_view element) {
    any = true;
    if (chunked_) {
      violation = "a transfer coding after chunked";
    } else if (equals_lower(element, "chunked")) {
      chunked_ = true;
    } else {
      coded_ = true;
    }
    return violation == nullptr;
  });
  return any ? violation : "an empty transfer-encoding";
}

void FramingFields::add_connection(std::string_view value) {
  for_each_element(value, [&](std::string_view element) {
    if (equals_lower(element, "close")) close_ = true;
    if (equals_lower(element, "keep-alive")) keep_alive_ = true;
    return true;
  });
}

void ChunkedBody::restart() {
  state_ = State::kSize;
  left_ = 0;
  trailer_bytes_ = 0;
  violation_ = nullptr;
}

ChunkedBody::Outcome ChunkedBody::violate(Violation violation) {
  violation_ = violation;
  return Outcome::kViolation;
}

Violation ChunkedBody::parse_size(std::string_view line) {
  if (!lines_.line_ended_in_crlf()) return "a chunk-size line that does not end in CRLF";
  if (has_control(line)) return "a control character in a chunk-size line";
  std::size_t digits = 0;
  left_ = 0;
  for (; digits < line.size(); ++digits) {
    const int digit = hex_value(line[digits]);
    if (digit < 0) break;
    left_ = left_ * 16 + static_cast<std::uint64_t>(digit);
    if (left_ > kMaxBodyBytes) return "a chunk size beyond any body";
  }
  if (digits == 0) return "a chunk size that is not a hexadecimal number";
  const auto rest = trim_blanks(line.substr(digits));
  // Blanks before the extensions or the end are not in the grammar, but old servers pad with them.
  if (!rest.empty() && rest.front() != ';') return "a chunk size that is not a hexadecimal number";
  return nullptr;
}

ChunkedBody::Outcome ChunkedBody::next(std::string_view* input, std::string_view* data) {
  std::string_view line;
  while (!input->empty()) {
    switch (state_) {
      case State::kSize: {
        const auto outcome = lines_.next(input, kMaxChunkLine, &line);
        if (outcome == LineReader::Outcome::kMore) return Outcome::kMore;
        if (outcome == LineReader::Outcome::kTooLong)
          return violate("a chunk-size line above 4 KiB");
        if (Violation violation = parse_size(line)) return violate(violation);
        state_ = left_ == 0 ? State::kTrailer : State::kData;
        break;
      }
      case State::kData: {
        const auto piece = std::min<std::uint64_t>(left_, input->size());
        *data = input->substr(0, static_cast<std::size_t>(piece));
        input->remove_prefix(data->size());
        left_ -= piece;
        if (left_ == 0) state_ = State::kDataCr;
        return Outcome::kData;
      }
      case State::kDataCr:
      case State::kDataLf: {
        const bool first = state_ == State::kDataCr;
        if (input->front() != (first ? '\r' : '\n')) {
          return violate("a chunk that does not end where its size says");
        }
        input->remove_prefix(1);
        state_ = first ? State::kDataLf : State::kSize;
        break;
      }
      case State::kTrailer: {
        const auto outcome = lines_.next(input, kMaxHeadBytes - trailer_bytes_, &line);
        if (outcome == LineReader::Outcome::kMore) return Outcome::kMore;
        if (outcome == LineReader::Outcome::kTooLong) {
          too_large_ = true;
          return violate("trailers above 256 KiB");
        }
        if (!lines_.line_ended_in_crlf()) {
          return violate("a trailer line that does not end in CRLF");
        }
        trailer_bytes_ += lines_.line_bytes();
        if (line.empty()) return Outcome::kEnd;
        Field field;
        if (Violation violation = parse_field(line, &field)) return violate(violation);
        break;
      }
    }
  }
  return Outcome::kMore;
}

}  // namespace hone::traffic::wire
