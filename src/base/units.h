// Figures as people read them. Values inside hone carry the unit in their name; these make text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.h"

namespace hone {

std::string format_duration(double seconds);                 // "1.2 s", "4 min 05 s", "850 us"
std::string format_bytes(double bytes);                      // "4.0 KiB", "1.2 GiB"
std::string format_percent(double ratio, int decimals = 1);  // 0.313 -> "31.3 %"
std::string format_signed_percent(double ratio, int decimals = 1);  // -0.313 -> "-31.3 %"
std::string format_count(std::uint64_t n);                          // 1234567 -> "1,234,567"

// "500ms", "2s", "1.5m"; a bare number is seconds.
Result<double> parse_duration_s(std::string_view text);

}  // namespace hone
