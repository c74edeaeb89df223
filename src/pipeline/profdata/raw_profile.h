// The head of a raw profile as clang's runtime writes it: enough to say, before llvm-profdata is
// asked, whether a file is a whole profile and of which format version.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.h"

namespace hone::pipeline {

struct RawProfile {
  std::uint64_t version = 0;  // INSTR_PROF_RAW_VERSION of the runtime: 8 in LLVM 14, 10 in 22
  bool ir = false;            // -fprofile-generate, as hone builds; else clang's front end
  bool context_sensitive = false;
  std::uint64_t functions = 0, counters = 0;
  std::uint64_t least_bytes = 0;  // what its sections need by its head; 0: layout not known
};

// kProfile naming `file`: empty, no profile, cut short, or of a byte order or width hone does not
// read. The bytes are the whole file.
Result<RawProfile> read_raw_profile(std::string_view bytes, const std::string& file);

}  // namespace hone::pipeline
