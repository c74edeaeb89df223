#include "pipeline/profdata/profdata_text.h"

#include <algorithm>
#include <charconv>
#include <optional>

namespace hone::pipeline {
namespace {

// Calls `line` for each line, without copying: the listing of a large server has millions.
template <typename Line>
void for_each_line(std::string_view text, const Line& line) {
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    line(text.substr(0, end));
    if (end == std::string_view::npos) return;
    text.remove_prefix(end + 1);
  }
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\r')) text.remove_suffix(1);
  return text;
}

std::optional<std::uint64_t> number_at(std::string_view text) {
  text = trimmed(text);
  std::uint64_t value = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (fault != std::errc{} || end == text.data()) return std::nullopt;
  return value;
}

// The number after `label` on a line that begins with it.
std::optional<std::uint64_t> labelled(std::string_view line, std::string_view label) {
  line = trimmed(line);
  if (!line.starts_with(label)) return std::nullopt;
  return number_at(line.substr(label.size()));
}

bool is_complaint(std::string_view line) {
  return line.starts_with("warning:") || line.starts_with("error:");
}

}  // namespace

Result<ProfileSummary> parse_profile_summary(std::string_view text) {
  ProfileSummary summary;
  std::optional<std::uint64_t> functions, total;
  std::uint64_t entry_count = 0, block_count = 0;
  for_each_line(text, [&](std::string_view line) {
    if (line.starts_with("Instrumentation level: IR")) summary.ir = true;
    if (const auto n = labelled(line, "Total functions:")) functions = n;
    if (const auto n = labelled(line, "Total count:")) total = n;
    if (const auto n = labelled(line, "Maximum function count:")) entry_count = *n;
    if (const auto n = labelled(line, "Maximum internal block count:")) block_count = *n;
  });
  if (!functions || !total) {
    return fail(ErrorKind::kProfile, "llvm-profdata show printed no totals",
                "hone reads the output of LLVM 14 to 22; use a toolchain of these");
  }
  summary.functions = *functions;
  summary.total_count = *total;
  summary.max_count = std::max(entry_count, block_count);
  return summary;
}

std::vector<std::string> parse_covered(std::string_view text) {
  std::vector<std::string> names;
  for_each_line(text, [&](std::string_view line) {
    if (!trimmed(line).empty() && !is_complaint(line)) names.emplace_back(trimmed(line));
  });
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

std::vector<HotFunction> parse_hottest(std::string_view text) {
  constexpr std::string_view kLabel = ", max count = ";
  std::vector<HotFunction> functions;
  for_each_line(text, [&](std::string_view line) {
    // From the right: a demangled or local name may hold commas itself.
    const std::size_t at = line.rfind(kLabel);
    if (at == std::string_view::npos) return;
    const auto count = number_at(line.substr(at + kLabel.size()));
    if (count && *count > 0) functions.emplace_back(trimmed(line.substr(0, at)), *count);
  });
  return functions;
}

Result<CallSites> parse_call_sites(std::string_view text) {
  CallSites found;
  std::optional<std::uint64_t> total;
  // Targets of one site follow each other: "\t[  0, name,       3000 ] (75.00%)".
  constexpr std::uint64_t kNone = ~0ULL;
  std::uint64_t counted_site = kNone;
  for_each_line(text, [&](std::string_view line) {
    if (!line.starts_with("\t[")) {
      counted_site = kNone;  // another function, whose sites count from 0 again
      if (const auto n = labelled(line, "Total number of sites:")) total = n;
      return;
    }
    line.remove_prefix(2);
    const std::size_t begin = line.find(','), end = line.rfind(',');
    const auto site = number_at(line);
    if (!site || begin == std::string_view::npos || end <= begin) return;
    const std::string_view target = trimmed(line.substr(begin + 1, end - begin - 1));
    if (target.empty() || target.starts_with("**") || counted_site == *site) return;
    counted_site = *site;
    ++found.resolved;
  });
  if (!total) {
    return fail(ErrorKind::kProfile, "llvm-profdata show printed no statistics of indirect calls",
                "hone reads the output of LLVM 14 to 22; use a toolchain of these");
  }
  found.sites = *total;
  return found;
}

Result<double> parse_overlap(std::string_view text) {
  constexpr std::string_view kLabel = "Edge profile overlap:";
  std::optional<double> overlap;
  for_each_line(text, [&](std::string_view line) {
    line = trimmed(line);
    if (overlap || !line.starts_with(kLabel)) return;
    const std::string_view figure = trimmed(line.substr(kLabel.size()));
    double percent = 0;
    const auto [end, fault] =
        std::from_chars(figure.data(), figure.data() + figure.size(), percent);
    if (fault == std::errc{} && end != figure.data()) overlap = percent / 100;
  });
  if (!overlap) return fail(ErrorKind::kProfile, "llvm-profdata overlap printed no overlap");
  return *overlap;
}

std::string first_complaint(std::string_view text) {
  std::string_view error, warning;
  for_each_line(text, [&](std::string_view line) {
    if (error.empty() && line.starts_with("error:")) error = line;
    if (warning.empty() && line.starts_with("warning:")) warning = line;
  });
  // "no profile can be merged" is true and useless: the warning before it says why.
  const bool empty_error = error.find("no profile can be merged") != std::string_view::npos;
  std::string_view chosen = error.empty() || (empty_error && !warning.empty()) ? warning : error;
  const std::size_t colon = chosen.find(':');
  return chosen.empty() ? "" : std::string(trimmed(chosen.substr(colon + 1)));
}

}  // namespace hone::pipeline
