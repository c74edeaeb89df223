// Stage 4: legs merged into one profile, weighted per request, and what that profile knows.
#pragma once

#include <string>
#include <vector>

#include "pipeline/observer.h"
#include "pipeline/store/store.h"
#include "pipeline/train/train.h"
#include "system/system.h"
#include "toolchain/toolchain.h"

namespace hone::pipeline {

struct LegCoverage {
  std::string name;
  std::uint64_t requests = 0;
  std::uint64_t weight = 0;  // as given to llvm-profdata: share x K / requests
  std::uint64_t functions_covered = 0;
  std::uint64_t total_count = 0;  // unweighted
  std::uint64_t only_here = 0;    // functions that no other leg reaches
};
HONE_JSON(LegCoverage)

struct MergedProfile {
  std::string path;  // <hash>.profdata in the store
  std::string sha256;
  std::uint64_t functions = 0, functions_covered = 0, total_count = 0, max_count = 0;
  std::uint64_t call_sites = 0, call_sites_resolved = 0;  // indirect calls with named targets
  std::vector<LegCoverage> legs;
  // Function as a reader knows it, largest block count; the hottest first.
  std::vector<std::pair<std::string, std::uint64_t>> hottest;
  // How alike two legs are, by row and column in the order of `legs`: 1 is the same distribution of
  // counts. Empty when the profiles are too large to compare all pairs in passing.
  std::vector<std::vector<double>> overlap;
  bool reused = false;
};
HONE_JSON(MergedProfile)

// kProfile: a leg whose profile is empty or broken, or of another compiler, is named.
Result<MergedProfile> merge_profiles(const std::vector<Leg>&, const toolchain::Toolchain&, Store&,
                                     system::System&, Observer&);

// Integer weights: share x K / requests, K chosen so that the smallest weight is at least 100 (one
// per cent steps) and all weighted counts together fit 63 bits without overflowing `max_count`;
// where both cannot be had, the second holds. 0 for a leg without requests or share.
std::vector<std::uint64_t> leg_weights(const std::vector<Leg>&);

// Functions that exactly one of the lists holds, counted for that list. Each list is sorted.
std::vector<std::uint64_t> only_in_one(const std::vector<std::vector<std::string>>& lists);

// "dir/file.cc;_ZL5helperi" -> "helper(int)"; names that are not C++ stay as they are.
std::string readable_function(const std::string& name);

}  // namespace hone::pipeline
