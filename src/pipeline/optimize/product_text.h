// The texts in out/: the locked recipe and the flags for one's own build.
#pragma once

#include <string>

#include "pipeline/build/build.h"
#include "pipeline/profile/profile.h"

namespace hone::pipeline {

// The recipe as it was used, with what it was used on: source, toolchain, profile, binary.
std::string locked_recipe(const Recipe&, const FetchedSource&, const BuiltBinary&,
                          const MergedProfile&, const toolchain::Toolchain&);

// Shell assignments to paste, with what must be true for them to work. `name`: of the program.
std::string flags_text(const std::string& name, const FetchedSource&, const BuiltBinary&,
                       const MergedProfile&, const toolchain::Toolchain&);

}  // namespace hone::pipeline
