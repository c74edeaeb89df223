// A unit is chosen for the *rounded* figure, so that 0.9996 s reads "1.0 s" and never "1000 ms".
#include "base/units.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <utility>

#include "base/text.h"

namespace hone {
namespace {

// Two digits carry what a reader compares: one decimal below ten, none above.
std::string two_digits(double value) {
  return value < 9.95 ? fmt::format("{:.1f}", value) : fmt::format("{:.0f}", value);
}

// Adding zero turns -0.0 into 0.0; rounding first makes "-0.0 %" impossible.
double rounded(double value, int decimals) {
  const double scale = std::pow(10, decimals);
  return std::round(value * scale) / scale + 0.0;
}

}  // namespace

std::string format_duration(double seconds) {
  if (!std::isfinite(seconds)) return "unknown";
  if (seconds < 0) return "-" + format_duration(-seconds);
  if (seconds == 0) return "0 s";
  // The last figure of a unit is 999 (or 59): what rounds beyond it belongs to the next one.
  if (seconds < 999.5e-9) return fmt::format("{:.0f} ns", seconds * 1e9);
  if (seconds < 999.5e-6) return two_digits(seconds * 1e6) + " us";
  if (seconds < 999.5e-3) return two_digits(seconds * 1e3) + " ms";
  if (seconds < 59.5) return two_digits(seconds) + " s";
  const auto whole = static_cast<std::uint64_t>(std::llround(seconds));
  if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  const std::uint64_t minutes = (whole + 30) / 60;
  return fmt::format("{} h {:02} min", minutes / 60, minutes % 60);
}

std::string format_bytes(double bytes) {
  if (!std::isfinite(bytes)) return "unknown";
  if (bytes < 0) return "-" + format_bytes(-bytes);
  if (bytes < 1023.5) return fmt::format("{:.0f} B", bytes);
  static constexpr std::array<const char*, 6> kUnits = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  std::size_t unit = 0;
  bytes /= 1024;
  while (bytes >= 1023.95 && unit + 1 < kUnits.size()) {
    bytes /= 1024;
    ++unit;
  }
  return fmt::format("{:.1f} {}", bytes, kUnits[unit]);
}

std::string format_percent(double ratio, int decimals) {
  if (!std::isfinite(ratio)) return "unknown";
  return fmt::format("{:.{}f} %", rounded(ratio * 100, decimals), decimals);
}

std::string format_signed_percent(double ratio, int decimals) {
  if (!std::isfinite(ratio)) return "unknown";
  const double percent = rounded(ratio * 100, decimals);
  return fmt::format("{}{:.{}f} %", percent > 0 ? "+" : "", percent, decimals);
}

std::string format_count(std::uint64_t n) {
  std::string digits = std::to_string(n);
  for (std::size_t at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, 1, ',');
  return digits;
}

Result<double> parse_duration_s(std::string_view text) {
  // Longest first, so that "ms" is not read as "s".
  static constexpr std::array<std::pair<std::string_view, double>, 7> kUnits = {
      {{"min", 60}, {"ns", 1e-9}, {"us", 1e-6}, {"ms", 1e-3}, {"s", 1}, {"m", 60}, {"h", 3600}}};
  std::string number = trim(text);
  double scale = 1;
  for (const auto& [unit, unit_s] : kUnits) {
    if (!std::string_view(number).ends_with(unit)) continue;
    number = trim(std::string_view(number).substr(0, number.size() - unit.size()));
    scale = unit_s;
    break;
  }
  const Result<double> value = parse_double(number);
  if (!value || *value < 0)
    return fail(ErrorKind::kUsage, "\"" + std::string(text) + "\" is not a duration",
                "write a number with a unit: 500ms, 2s, 1.5m, 1h; without one it is seconds");
  return *value * scale;
}

}  // namespace hone
