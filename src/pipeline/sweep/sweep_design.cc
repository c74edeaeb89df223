#include "pipeline/sweep/sweep_design.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "base/units.h"

namespace hone::pipeline {
namespace {

constexpr long long kMostRates = 1000;
// Of a point beside its load: waiting for rest before and after it, and the drain.
constexpr double kBetweenPointsS = 0.1;
// Of a pass: starting, connecting and warming up one arm.
constexpr double kStartS = 2;

tl::unexpected<Error> wrong_rates(const std::string& text, const std::string& why) {
  return fail(ErrorKind::kUsage, "--rates: '" + text + "' " + why,
              "--rates 1000,2000,4000 or --rates FROM:TO:COUNT, as in 1000:20000:8");
}

Result<std::vector<double>> geometric_rates(const std::string& text) {
  const std::vector<std::string> parts = split(text, ':');
  if (parts.size() != 3) return wrong_rates(text, "is not FROM:TO:COUNT");
  const auto from = parse_double(parts[0]);
  const auto to = parse_double(parts[1]);
  const auto count = parse_integer(parts[2]);
  if (!from || !to || !count || !(*from > 0) || !(*to > *from) || *count < 2 ||
      *count > kMostRates || !std::isfinite(*to)) {
    return wrong_rates(text, "is not FROM:TO:COUNT with 0 < FROM < TO and 2 to 1000 rates");
  }
  std::vector<double> rates;
  for (long long i = 0; i < *count; ++i) {
    const double share = static_cast<double>(i) / static_cast<double>(*count - 1);
    rates.push_back(typed_rate(*from * std::pow(*to / *from, share)));
  }
  return rates;
}

std::size_t rate_count(const SweepSettings& settings) {
  return settings.rates.empty() ? static_cast<std::size_t>(settings.points) : settings.rates.size();
}

}  // namespace

double typed_rate(double rate) {
  const double unit = std::pow(10.0, std::floor(std::log10(rate)) - 2);
  // A unit below 1 has no exact value: divided by its inverse, 2.5 stays 2.5.
  return unit < 1 ? std::round(rate / unit) / std::round(1 / unit) : std::round(rate / unit) * unit;
}

Result<std::vector<double>> parse_rates(const std::string& text) {
  std::vector<double> rates;
  if (text.find(':') != std::string::npos) {
    HONE_TRY(rates, geometric_rates(text));
  } else {
    for (const std::string& part : split(text, ',')) {
      const auto rate = parse_double(trim(part));
      if (!rate || !(*rate > 0) || !std::isfinite(*rate)) {
        return wrong_rates(text, "holds '" + part + "', which is not a rate");
      }
      rates.push_back(*rate);
    }
    if (rates.size() > kMostRates) return wrong_rates(text, "holds more than 1000 rates");
  }
  std::sort(rates.begin(), rates.end());
  rates.erase(std::unique(rates.begin(), rates.end()), rates.end());
  return rates;
}

double expected_s(const SweepSettings& settings, std::size_t arms) {
  const double point_s = settings.head_s + settings.slice_s + kBetweenPointsS;
  return settings.repeats * static_cast<double>(arms) *
         (kStartS + static_cast<double>(rate_count(settings)) * point_s);
}

std::string describe(const SweepSettings& settings, std::size_t arms,
                     const std::vector<std::string>& shapes) {
  const bool found = settings.rates.empty();
  return fmt::format(
      "sweep\n  shapes  {}\n  points  {} rates{} on {}, {} times in random order, {} each\n"
      "time, estimated: {}{}\n",
      join(shapes, ", "), rate_count(settings),
      found ? ", found by doubling up to saturation," : "",
      arms == 1 ? "one arm" : fmt::format("{} arms", arms), settings.repeats,
      format_duration(settings.slice_s),
      format_duration(static_cast<double>(shapes.size()) * expected_s(settings, arms)),
      found ? ", and some seconds to find the rates" : "");
}

}  // namespace hone::pipeline
