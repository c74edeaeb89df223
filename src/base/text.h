// Small text work shared by every part: nothing here knows what the text means.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace hone {

std::vector<std::string> split(std::string_view text, char separator);
std::vector<std::string> split_words(std::string_view text);  // at runs of white space
std::string join(const std::vector<std::string>& parts, std::string_view separator);
std::string trim(std::string_view text);
std::string replace_all(std::string text, std::string_view from, std::string_view to);

// "`a b` c": one word as a POSIX shell would read it back; used in logs and reports.
std::string shell_quote(std::string_view word);
std::string shell_join(const std::vector<std::string>& words);
// Splits a command line as a POSIX shell splits words (quotes and backslashes, no expansion).
Result<std::vector<std::string>> shell_split(std::string_view line);

// Fills {name} from `values`; "{{" and "}}" are literal braces. An unknown name is an error that
// lists the known ones.
using Placeholders = std::map<std::string, std::string>;
Result<std::string> fill(std::string_view text, const Placeholders& values);
Result<std::vector<std::string>> fill(const std::vector<std::string>& texts,
                                      const Placeholders& values);

// A name that users give and that becomes a part of paths: letters, digits, '-' and '_', which are
// safe in a file name, a URL and a shell word alike. File systems hold 255 bytes; ".part" and the
// like are added.
constexpr std::size_t kNameLimit = 64;
bool is_plain_name(std::string_view text);

// '*' and '?' wildcards over the whole text; a comma separates alternatives.
bool matches_glob(std::string_view pattern, std::string_view text);

// The known word nearest to `word` by edit distance, or "" when none is near (distance above a
// third of its length, at least 1).
std::string nearest(std::string_view word, const std::vector<std::string>& known);

// Whole-text parses: no leftovers, no overflow.
Result<double> parse_double(std::string_view text);
Result<long long> parse_integer(std::string_view text);

}  // namespace hone
