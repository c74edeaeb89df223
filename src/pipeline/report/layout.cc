#include "pipeline/report/layout.h"

#include <algorithm>

#include "base/text.h"

namespace hone::pipeline::report {
namespace {

bool continues(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

// Bytes of the first `width` characters.
std::size_t prefix_bytes(std::string_view text, int width) {
  std::size_t at = 0;
  int seen = 0;
  while (at < text.size()) {
    if (!continues(text[at]) && seen++ == width) break;
    ++at;
  }
  return at;
}

}  // namespace

int display_width(std::string_view text) {
  return static_cast<int>(
      std::count_if(text.begin(), text.end(), [](char c) { return !continues(c); }));
}

std::string pad(const std::string& text, int width, bool right) {
  const int missing = width - display_width(text);
  if (missing <= 0) return text;
  const std::string space(static_cast<std::size_t>(missing), ' ');
  return right ? space + text : text + space;
}

std::vector<std::string> wrap(const std::string& text, int width) {
  width = std::max(width, 1);
  std::vector<std::string> lines(1);
  for (std::string word : split_words(text)) {
    std::string* line = &lines.back();
    if (!line->empty() && display_width(*line) + 1 + display_width(word) > width) {
      lines.emplace_back();
      line = &lines.back();
    }
    if (!line->empty()) *line += ' ';
    while (display_width(word) > width) {  // only ever at the start of a line
      const std::size_t bytes = prefix_bytes(word, width);
      lines.back() += word.substr(0, bytes);
      lines.emplace_back();
      word.erase(0, bytes);
    }
    lines.back() += word;
  }
  return lines;
}

std::string without_backticks(std::string text) {
  std::erase(text, '`');
  return text;
}

std::string repeat(std::string_view glyph, int times) {
  std::string text;
  for (int i = 0; i < times; ++i) text += glyph;
  return text;
}

}  // namespace hone::pipeline::report
