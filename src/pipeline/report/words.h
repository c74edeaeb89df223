// Figures and names as every part of a report prints them, so that one value never reads two ways.
#pragma once

#include <string>

#include "measure/statistics/comparison.h"
#include "pipeline/report/model.h"

namespace hone::pipeline::report {

std::string percent_range(double low, double high);  // "-9.7 to -6.1 %"
std::string interval(const measure::Estimate&);      // the same, of its interval
std::string estimate(const measure::Estimate&);      // "-7.9 % (-9.7 to -6.1 %)"
// "7.9 % less CPU per request" or "... more ..."; the sign is in the word.
std::string less_or_more(const measure::Estimate&);
// The interval without signs, in the direction of the effect: "6.1 to 9.7 %"; with signs when it
// holds zero.
std::string unsigned_interval(const measure::Estimate&);

std::string microseconds(double us);  // "1.72", "48.0", "312"
std::string microsecond_range(double low, double high);
std::string wakes(double per_request);  // "0.31"
std::string rate(double per_second);    // "9,400"
std::string plural(std::size_t n, const std::string& one, const std::string& many = {});

// "rebuilt with PGO and ThinLTO" for "pgo-thinlto"; "as `x`" for a variant it has no words for.
std::string rebuilt_with(const std::string& variant);
// Text that stands between backticks must not hold one.
std::string code(std::string text);
std::string tag(const std::string& sha256);  // the first 12 digits of a hash
std::string sentence(std::string text);      // ends with a full stop

Tone tone_of(measure::Verdict);

}  // namespace hone::pipeline::report
