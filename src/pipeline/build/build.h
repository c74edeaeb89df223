// Stage 2: a binary from the source, in one variant's flags. Also what optimize uses, with a
// profile.
#pragma once

#include <optional>
#include <string>

#include "pipeline/observer.h"
#include "pipeline/recipe/recipe.h"
#include "pipeline/store/store.h"
#include "system/system.h"
#include "toolchain/toolchain.h"

namespace hone::pipeline {

struct BuildCosts {
  double wall_s = 0, cpu_s = 0;
  long peak_rss_kib = 0;
  std::uint64_t binary_bytes = 0, text_bytes = 0, stripped_bytes = 0;
};
HONE_JSON(BuildCosts)

// What the compiler said about the profile while using it (pgo variants).
struct ProfileUse {
  std::uint64_t functions_mismatched = 0;  // hash mismatch: their counts were discarded
  std::uint64_t functions_missing = 0;     // no profile data
  std::uint64_t counts_discarded = 0;      // "up to N count discarded", added up
};
HONE_JSON(ProfileUse)

struct BuiltBinary {
  std::string variant;  // "baseline", "instrumented", "pgo-thinlto"
  std::string path;     // in the store
  std::string sha256;
  std::string log;
  std::vector<std::string> compile_flags, link_flags;
  BuildCosts costs;
  ProfileUse profile_use;
  bool reused = false;
};
HONE_JSON(BuiltBinary)

struct FetchedSource {
  std::string path;      // the tree to build; hone never writes into it
  std::string identity;  // what it is, for fingerprints: version and hash, or a tree hash
  std::string text;      // for reports: "nghttp2 1.52.0-1+deb12u2 (Debian source package)"
};
HONE_JSON(FetchedSource)

// A source package goes through an apt configuration of hone's own (private list, lists and cache);
// nothing of the system's is touched. kSource when it cannot be had.
Result<FetchedSource> fetch_source(const Recipe&, Store&, system::System&, Observer&);

// `profile`: path of the .profdata for "pgo-thinlto", empty otherwise. Reused from the store when
// every field of its fingerprint is the same; else says which changed.
Result<BuiltBinary> build(const Recipe&, const FetchedSource&, const std::string& variant,
                          const std::string& profile, const toolchain::Toolchain&, Store&,
                          system::System&, Observer&);

}  // namespace hone::pipeline
