// What llvm-profdata prints, as values. Pure; the tool is run in profdata.h.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"

namespace hone::pipeline {

struct ProfileSummary {
  std::uint64_t functions = 0;
  std::uint64_t total_count = 0;
  std::uint64_t max_count = 0;  // of any block
  bool ir = false;              // IR instrumentation, as -fprofile-generate makes
};
// Of `show FILE`. kProfile when the figures are not there.
Result<ProfileSummary> parse_profile_summary(std::string_view text);

// Of `show --covered FILE`: functions with a count above zero, each once, sorted.
std::vector<std::string> parse_covered(std::string_view text);

using HotFunction = std::pair<std::string, std::uint64_t>;  // name, largest block count
// Of `show --topn=N FILE`, hottest first; functions without counts are left out.
std::vector<HotFunction> parse_hottest(std::string_view text);

struct CallSites {
  std::uint64_t sites = 0;
  std::uint64_t resolved = 0;  // with at least one target that has a name
};
// Of `show --all-functions --ic-targets FILE`. A target in a module without a profile of its own
// (libc) has no name there.
Result<CallSites> parse_call_sites(std::string_view text);

// Of `overlap A B`: the edge overlap, 0 to 1: sum over counters of the smaller of the two shares.
Result<double> parse_overlap(std::string_view text);

// The first error or, without one, the first warning of the tool, without its prefix; "" when it
// printed neither.
std::string first_complaint(std::string_view text);

}  // namespace hone::pipeline
