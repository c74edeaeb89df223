// A compiler, linker and profile tools that belong together: all of one LLVM major, or a refusal
// that says which is of what version and what to install.
#pragma once

#include <string>
#include <vector>

#include "base/error.h"
#include "base/finding.h"
#include "base/json.h"
#include "system/system.h"

namespace hone::toolchain {

struct Toolchain {
  int major = 0;
  std::string version;                                                       // "22.1.8"
  std::string cc, cxx, lld, profdata, ar, ranlib, nm, objcopy, strip, size;  // absolute paths
  std::string profile_runtime;  // libclang_rt.profile*.a
};
HONE_JSON(Toolchain)

// `wanted`: a major ("22"), a folder with the tools in it, or "" for the newest complete set.
// kToolMissing: no clang, or one tool of a set is missing (named, with its package).
// kToolchain: the tools that were asked for are of different majors.
Result<Toolchain> discover(const std::string& wanted, system::System&);

// One line per tool for `hone doctor`: found, missing or unfit, and how to mend it.
struct ToolLine {
  std::string tool, path, version, state, advice;
};
std::vector<ToolLine> examine(const std::string& wanted, system::System&);

}  // namespace hone::toolchain
