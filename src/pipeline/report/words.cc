#include "pipeline/report/words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/text.h"
#include "base/units.h"

namespace hone::pipeline::report {
namespace {

// "-9.7", "+0.4", "0.0": the unit stands once, after the second figure of a range.
std::string signed_figure(double ratio) {
  std::string text = format_signed_percent(ratio);
  const std::size_t unit = text.rfind(" %");
  return unit == std::string::npos ? text : text.substr(0, unit);
}

std::string figure(double ratio) {
  std::string text = format_percent(ratio);
  const std::size_t unit = text.rfind(" %");
  return unit == std::string::npos ? text : text.substr(0, unit);
}

// Three figures carry what a round's scatter allows; more would be noise.
int decimals_of(double us) {
  const double size = std::abs(us);
  return size < 9.995 ? 2 : size < 99.95 ? 1 : 0;
}

std::string fixed(double value, int decimals) {
  const double scale = std::pow(10, decimals);
  return fmt::format("{:.{}f}", std::round(value * scale) / scale + 0.0, decimals);
}

}  // namespace

std::string percent_range(double low, double high) {
  return signed_figure(low) + " to " + signed_figure(high) + " %";
}

std::string interval(const measure::Estimate& e) { return percent_range(e.low, e.high); }

std::string estimate(const measure::Estimate& e) {
  return format_signed_percent(e.effect) + " (" + interval(e) + ")";
}

std::string less_or_more(const measure::Estimate& e) {
  return format_percent(std::abs(e.effect)) + (e.effect < 0 ? " less" : " more") +
         " CPU per request";
}

std::string unsigned_interval(const measure::Estimate& e) {
  if (e.low < 0 && e.high > 0) return interval(e);
  const double near = std::min(std::abs(e.low), std::abs(e.high));
  const double far = std::max(std::abs(e.low), std::abs(e.high));
  return figure(near) + " to " + figure(far) + " %";
}

std::string microseconds(double us) { return fixed(us, decimals_of(us)); }

std::string microsecond_range(double low, double high) {
  const int decimals = decimals_of(std::max(std::abs(low), std::abs(high)));
  return fixed(low, decimals) + " to " + fixed(high, decimals);
}

std::string wakes(double per_request) { return fixed(per_request, 2); }

std::string rate(double per_second) {
  if (per_second < 9.95) return fixed(per_second, 1);
  return format_count(static_cast<std::uint64_t>(std::llround(per_second)));
}

std::string plural(std::size_t n, const std::string& one, const std::string& many) {
  return format_count(n) + " " + (n == 1 ? one : many.empty() ? one + "s" : many);
}

std::string rebuilt_with(const std::string& variant) {
  static const std::map<std::string, std::string> kWords = {
      {"pgo", "PGO"},
      {"thinlto", "ThinLTO"},
      {"pgo-thinlto", "PGO and ThinLTO"},
      {"cs-pgo-thinlto", "context-sensitive PGO and ThinLTO"},
      {"bolt", "BOLT"},
      {"pgo-thinlto-bolt", "PGO, ThinLTO and BOLT"}};
  const auto found = kWords.find(variant);
  return found == kWords.end() ? "as " + code(variant) : "rebuilt with " + found->second;
}

std::string code(std::string text) { return "`" + replace_all(std::move(text), "`", "'") + "`"; }

std::string tag(const std::string& sha256) { return sha256.substr(0, 12); }

std::string sentence(std::string text) {
  if (text.empty()) return text;
  if (text.back() != '.' && text.back() != '?' && text.back() != '!') text += '.';
  return text;
}

Tone tone_of(measure::Verdict verdict) {
  switch (verdict) {
    case measure::Verdict::kSaved:
      return Tone::kGood;
    case measure::Verdict::kWorse:
    case measure::Verdict::kFailed:
      return Tone::kBad;
    case measure::Verdict::kWithheld:
    case measure::Verdict::kUnresolved:
      return Tone::kNote;
    case measure::Verdict::kSame:
      return Tone::kPlain;
  }
  return Tone::kPlain;
}

}  // namespace hone::pipeline::report
