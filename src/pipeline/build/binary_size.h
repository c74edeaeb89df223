// How big a program is: the file, its code, and the file without symbols and debug information.
#pragma once

#include <cstdint>
#include <string>

#include "base/error.h"
#include "system/system.h"
#include "toolchain/toolchain.h"

namespace hone::pipeline {

struct BinarySize {
  std::uint64_t file = 0, text = 0, stripped = 0;
};
// `scratch`: a file for the stripped copy, removed again.
Result<BinarySize> measure_binary(const system::Path& binary, const system::Path& scratch,
                                  const toolchain::Toolchain&, system::System&);

// Sum of the sections .text and .text.* in `llvm-size -A` output.
std::uint64_t text_bytes_in(const std::string& sizes);

}  // namespace hone::pipeline
