// What sets the variants apart: these flags and nothing else.
#pragma once

#include <string>

#include "base/error.h"
#include "build_systems/driver.h"
#include "toolchain/toolchain.h"

namespace hone::pipeline {

// `profile`: absolute path, for variants that use one. kUsage for an unknown variant.
Result<build_systems::Flags> variant_flags(const std::string& variant, const std::string& profile,
                                           const toolchain::Toolchain&);

}  // namespace hone::pipeline
