// Text in columns: widths, padding and wrapping of UTF-8 as a terminal shows it. Every character
// counts as one column wide; reports use no wide ones.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace hone::pipeline::report {

int display_width(std::string_view text);
std::string pad(const std::string& text, int width, bool right);  // right: the text stands right
// At spaces, and inside a word only when it is longer than `width`. At least one line.
std::vector<std::string> wrap(const std::string& text, int width);
std::string without_backticks(std::string text);
std::string repeat(std::string_view glyph, int times);

}  // namespace hone::pipeline::report
