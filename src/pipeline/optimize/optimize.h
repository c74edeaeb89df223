// Stage 5: the optimized build, and out/: what the user takes home.
#pragma once

#include "pipeline/build/build.h"
#include "pipeline/profile/profile.h"

namespace hone::pipeline {

struct Product {
  std::string folder;              // out/
  std::vector<std::string> files;  // binary, debug file, .profdata, recipe, flags, hashes
};
HONE_JSON(Product)

// Writes the optimized binary (stripped) with its debug file, the profile, the locked recipe, the
// flags to paste into one's own build, and SHA256SUMS. Whole or not at all.
Result<Product> write_product(const Recipe&, const FetchedSource&, const BuiltBinary& optimized,
                              const MergedProfile&, const toolchain::Toolchain&,
                              const system::Path& folder, system::System&);

}  // namespace hone::pipeline
