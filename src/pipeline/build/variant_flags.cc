// Every variant links with the same lld, the baseline too: another linker lays code out in another
// way, and that difference is not to be credited to the profile. Beyond that the baseline is the
// project's own release build.
//
// Instrumented and optimized builds share one LTO mode. Clang places its counters before LTO; built
// without it here and with it there, functions come out with other shapes and their counts are lost
// to hash mismatches.

#include "pipeline/build/variant_flags.h"

#include <filesystem>

#include "flush/flush.h"

namespace hone::pipeline {
namespace {

std::vector<std::string> linker(const toolchain::Toolchain& tools) {
  std::vector<std::string> flags = {"-fuse-ld=lld"};
  // Clang looks beside itself for a program of just this name; anywhere else it must be told.
  const std::filesystem::path lld = tools.lld;
  if (lld.filename() != "ld.lld" ||
      lld.parent_path() != std::filesystem::path(tools.cc).parent_path()) {
    flags.push_back("--ld-path=" + tools.lld);
  }
  return flags;
}

}  // namespace

Result<build_systems::Flags> variant_flags(const std::string& variant, const std::string& profile,
                                           const toolchain::Toolchain& tools) {
  build_systems::Flags flags;
  flags.link = linker(tools);
  if (variant == "baseline") return flags;
  if (variant == "instrumented") {
    // Atomic, or workers lose each other's counts. Line tables name the folders of code that no leg
    // reaches; they change no instruction.
    flags.compile = {"-flto=thin", "-fprofile-generate", "-fprofile-update=atomic",
                     "-gline-tables-only"};
    // What the flush library calls would fall to --gc-sections.
    flags.link.emplace_back(HONE_FLUSH_LINK_FLAGS);
    return flags;
  }
  if (variant == "pgo-thinlto") {
    // The compiler's complaints about the profile are wanted (they are counted from the log) but
    // may not stop a project that builds with -Werror.
    flags.compile = {"-flto=thin",
                     "-fprofile-use=" + profile,
                     "-Wno-error=profile-instr-out-of-date",
                     "-Wno-error=profile-instr-unprofiled",
                     "-Wno-error=backend-plugin",
                     "-mllvm",
                     "-pgo-warn-missing-function"};
    return flags;
  }
  return fail(ErrorKind::kUsage, "no variant is called '" + variant + "'",
              "variants: baseline, instrumented, pgo-thinlto");
}

}  // namespace hone::pipeline
