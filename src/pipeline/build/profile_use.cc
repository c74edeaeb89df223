// The two warnings, as clang 14 to 22 print them (-Wbackend-plugin):
//   warning: a.cc: function control flow change detected (hash mismatch) main Hash = 9423 up to 5
//   count discarded [-Wbackend-plugin]
//   warning: a.cc: no profile data available for function _Z4newfi Hash = 3829 up to 0 count
//   discarded [-Wbackend-plugin]
// An inline function is compiled in many files and warned about in each: it counts once, by its
// name and hash, and its discarded counts too. So does a file compiled again after a cut.

#include "pipeline/build/profile_use.h"

#include <algorithm>
#include <set>
#include <string>

#include "base/text.h"

namespace hone::pipeline {
namespace {

constexpr std::string_view kMismatch = "(hash mismatch) ";
constexpr std::string_view kMissing = "no profile data available for function ";
constexpr std::string_view kUpTo = " up to ";

// "main Hash = 9423": the function and its shape.
std::string_view identity(std::string_view rest) { return rest.substr(0, rest.find(kUpTo)); }

std::uint64_t discarded(std::string_view rest) {
  const std::size_t at = rest.find(kUpTo);
  if (at == std::string_view::npos) return 0;
  const std::string_view number = rest.substr(at + kUpTo.size());
  const Result<long long> count = parse_integer(number.substr(0, number.find(' ')));
  return count && *count > 0 ? static_cast<std::uint64_t>(*count) : 0;
}

}  // namespace

ProfileUse profile_use_in(std::string_view log) {
  ProfileUse use;
  std::set<std::string, std::less<>> seen;
  for (std::size_t at = 0; at < log.size();) {
    const std::size_t end = std::min(log.find('\n', at), log.size());
    const std::string_view line = log.substr(at, end - at);
    at = end + 1;
    const std::size_t mismatch = line.find(kMismatch);
    const std::size_t missing = line.find(kMissing);
    if (mismatch == std::string_view::npos && missing == std::string_view::npos) continue;
    const std::string_view rest = mismatch != std::string_view::npos
                                      ? line.substr(mismatch + kMismatch.size())
                                      : line.substr(missing + kMissing.size());
    if (!seen.emplace(identity(rest)).second) continue;
    ++(mismatch != std::string_view::npos ? use.functions_mismatched : use.functions_missing);
    use.counts_discarded += discarded(rest);
  }
  return use;
}

}  // namespace hone::pipeline
