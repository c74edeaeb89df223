#include "base/text.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>
#include <optional>

namespace hone {
namespace {

bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

bool is_plain_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-';
}

bool is_name_character(char c) { return is_plain_character(c) || c == '.'; }

// Characters that no POSIX shell gives a meaning of its own, wherever they stand in a word.
bool is_shell_safe(char c) {
  return is_name_character(c) || std::string_view("@%+=:,/").find(c) != std::string_view::npos;
}

bool matches_one_glob(std::string_view pattern, std::string_view text) {
  std::size_t p = 0;
  std::size_t t = 0;
  std::size_t star = std::string_view::npos;  // last '*' seen, and what it has swallowed up to
  std::size_t swallowed = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      swallowed = t;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t])) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++swallowed;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

// Damerau-Levenshtein in its "optimal string alignment" form: insert, delete, replace, and swap of
// two neighbours each cost one, which are the slips of a typing hand.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before_last(b.size() + 1);
  std::vector<std::size_t> last(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(last.begin(), last.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replace = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, replace});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
    std::swap(before_last, last);
    std::swap(last, row);
  }
  return last[b.size()];
}

Error unknown_placeholder(const std::string& name, std::string_view text,
                          const Placeholders& values) {
  std::vector<std::string> known;
  known.reserve(values.size());
  for (const auto& entry : values) known.push_back(entry.first);
  const std::string near = nearest(name, known);
  std::string next = near.empty() ? "" : "did you mean {" + near + "}? ";
  next +=
      known.empty() ? "nothing can be filled in here" : "known here: {" + join(known, "}, {") + "}";
  return Error{ErrorKind::kUsage,
               "unknown placeholder {" + name + "} in: " + std::string(text),
               {},
               next + "; a literal brace is written {{ or }}",
               {}};
}

Error stray_brace(char brace, std::string_view text) {
  return Error{
      ErrorKind::kUsage,
      std::string("a single ") + brace + " that belongs to no {name} in: " + std::string(text),
      {},
      "write {{ or }} for a literal brace",
      {}};
}

// Takes words off a command line, one at a time.
class ShellWords {
 public:
  explicit ShellWords(std::string_view line) : line_(line) {}

  // The next word, or nothing at the end of the line.
  Result<std::optional<std::string>> next() {
    while (at_ < line_.size() && is_space(line_[at_])) ++at_;
    if (at_ == line_.size()) return std::nullopt;
    std::string word;
    bool any = false;  // a word may be empty: ''
    while (at_ < line_.size() && !is_space(line_[at_])) {
      const char c = line_[at_++];
      if (c == '\'') {
        HONE_CHECK(single_quoted(word));
        any = true;
      } else if (c == '"') {
        HONE_CHECK(double_quoted(word));
        any = true;
      } else if (c == '\\') {
        if (at_ == line_.size()) return unfinished("a backslash at the end");
        const char escaped = line_[at_++];
        if (escaped == '\n') continue;  // a continued line
        word += escaped;
        any = true;
      } else {
        word += c;
        any = true;
      }
    }
    if (!any) return next();  // only a continued line stood here
    return word;
  }

 private:
  Status single_quoted(std::string& word) {
    const std::size_t end = line_.find('\'', at_);
    if (end == std::string_view::npos) return unfinished("a single quote that is not closed");
    word += line_.substr(at_, end - at_);
    at_ = end + 1;
    return {};
  }

  Status double_quoted(std::string& word) {
    while (at_ < line_.size()) {
      char c = line_[at_++];
      if (c == '"') return {};
      if (c == '\\' && at_ < line_.size()) {
        const char escaped = line_[at_];
        if (escaped == '\n') {
          ++at_;
          continue;
        }
        // Inside double quotes a backslash is special before these alone.
        if (std::string_view("$`\"\\").find(escaped) != std::string_view::npos) {
          c = escaped;
          ++at_;
        }
      }
      word += c;
    }
    return unfinished("a double quote that is not closed");
  }

  tl::unexpected<Error> unfinished(const std::string& what) const {
    return fail(ErrorKind::kUsage, what + " in the command: " + std::string(line_),
                "quote the command as for a shell");
  }

  std::string_view line_;
  std::size_t at_ = 0;
};

}  // namespace

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  while (true) {
    const std::size_t end = text.find(separator, begin);
    if (end == std::string_view::npos) break;
    parts.emplace_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  parts.emplace_back(text.substr(begin));
  return parts;
}

std::vector<std::string> split_words(std::string_view text) {
  std::vector<std::string> words;
  std::size_t at = 0;
  while (at < text.size()) {
    if (is_space(text[at])) {
      ++at;
      continue;
    }
    const std::size_t begin = at;
    while (at < text.size() && !is_space(text[at])) ++at;
    words.emplace_back(text.substr(begin, at - begin));
  }
  return words;
}

std::string join(const std::vector<std::string>& parts, std::string_view separator) {
  std::string text;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) text += separator;
    text += parts[i];
  }
  return text;
}

std::string trim(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return std::string(text);
}

std::string replace_all(std::string text, std::string_view from, std::string_view to) {
  if (from.empty()) return text;
  std::size_t at = 0;
  while ((at = text.find(from, at)) != std::string::npos) {
    text.replace(at, from.size(), to);
    at += to.size();
  }
  return text;
}

std::string shell_quote(std::string_view word) {
  if (!word.empty() && std::all_of(word.begin(), word.end(), is_shell_safe))
    return std::string(word);
  std::string quoted = "'";
  for (const char c : word) {
    if (c == '\'') {
      quoted += "'\\''";
    } else {
      quoted += c;
    }
  }
  return quoted + "'";
}

std::string shell_join(const std::vector<std::string>& words) {
  std::vector<std::string> quoted;
  quoted.reserve(words.size());
  for (const std::string& word : words) quoted.push_back(shell_quote(word));
  return join(quoted, " ");
}

Result<std::vector<std::string>> shell_split(std::string_view line) {
  std::vector<std::string> words;
  ShellWords rest(line);
  while (true) {
    HONE_TRY(std::optional<std::string> word, rest.next());
    if (!word) return words;
    words.push_back(*std::move(word));
  }
}

Result<std::string> fill(std::string_view text, const Placeholders& values) {
  std::string filled;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c != '{' && c != '}') {
      filled += c;
      continue;
    }
    if (i + 1 < text.size() && text[i + 1] == c) {
      filled += c;
      ++i;
      continue;
    }
    if (c == '}') return tl::make_unexpected(stray_brace(c, text));
    std::size_t end = i + 1;
    while (end < text.size() && is_name_character(text[end])) ++end;
    if (end == text.size() || text[end] != '}' || end == i + 1)
      return tl::make_unexpected(stray_brace(c, text));
    const std::string name(text.substr(i + 1, end - i - 1));
    const auto value = values.find(name);
    if (value == values.end()) return tl::make_unexpected(unknown_placeholder(name, text, values));
    filled += value->second;
    i = end;
  }
  return filled;
}

Result<std::vector<std::string>> fill(const std::vector<std::string>& texts,
                                      const Placeholders& values) {
  std::vector<std::string> filled;
  filled.reserve(texts.size());
  for (const std::string& text : texts) {
    HONE_TRY(std::string one, fill(text, values));
    filled.push_back(std::move(one));
  }
  return filled;
}

bool is_plain_name(std::string_view text) {
  return !text.empty() && text.size() <= kNameLimit &&
         std::all_of(text.begin(), text.end(), is_plain_character);
}

bool matches_glob(std::string_view pattern, std::string_view text) {
  for (const std::string& alternative : split(pattern, ','))
    if (matches_one_glob(alternative, text)) return true;
  return false;
}

std::string nearest(std::string_view word, const std::vector<std::string>& known) {
  // A third of the letters wrong is where a guess starts to look like a joke.
  const std::size_t limit = std::max<std::size_t>(1, word.size() / 3);
  std::string best;
  std::size_t best_distance = limit + 1;
  for (const std::string& candidate : known) {
    const std::size_t distance = edit_distance(word, candidate);
    if (distance < best_distance) {
      best_distance = distance;
      best = candidate;
    }
  }
  return best;
}

Result<double> parse_double(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(value))
    return fail(ErrorKind::kUsage, "\"" + std::string(text) + "\" is not a number");
  return value;
}

Result<long long> parse_integer(std::string_view text) {
  long long value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc::result_out_of_range)
    return fail(ErrorKind::kUsage, "\"" + std::string(text) + "\" is too large a number");
  if (error != std::errc{} || end != text.data() + text.size())
    return fail(ErrorKind::kUsage, "\"" + std::string(text) + "\" is not a whole number");
  return value;
}

}  // namespace hone
