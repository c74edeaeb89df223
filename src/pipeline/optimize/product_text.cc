#include "pipeline/optimize/product_text.h"

#include <fmt/format.h>

#include "base/text.h"

namespace hone::pipeline {
namespace {

// Flags as they stand in an assignment: the profile's place is the reader's, hone's folder is not.
std::string pasted(const std::vector<std::string>& flags, const std::string& profile) {
  std::vector<std::string> words;
  for (const std::string& flag : flags) {
    if (flag.rfind("--ld-path=", 0) == 0) continue;  // where this machine's lld lies
    words.push_back(profile.empty() ? flag : replace_all(flag, profile, "$PROFILE"));
  }
  return join(words, " ");
}

// The path that follows -fprofile-use=: as absolute as the build was given it.
std::string profile_in(const std::vector<std::string>& flags) {
  constexpr std::string_view kUse = "-fprofile-use=";
  for (const std::string& flag : flags) {
    if (flag.rfind(kUse, 0) == 0) return flag.substr(kUse.size());
  }
  return {};
}

}  // namespace

std::string locked_recipe(const Recipe& recipe, const FetchedSource& source,
                          const BuiltBinary& binary, const MergedProfile& profile,
                          const toolchain::Toolchain& tools) {
  return dump({{"recipe", recipe},
               {"source", {{"identity", source.identity}, {"text", source.text}}},
               {"toolchain", tools},
               {"profile_sha256", profile.sha256},
               {"binary",
                {{"variant", binary.variant},
                 {"sha256_before_strip", binary.sha256},
                 {"compile_flags", binary.compile_flags},
                 {"link_flags", binary.link_flags}}}});
}

std::string flags_text(const std::string& name, const FetchedSource& source,
                       const BuiltBinary& binary, const MergedProfile& profile,
                       const toolchain::Toolchain& tools) {
  const std::string path = profile_in(binary.compile_flags);
  const std::string compile = pasted(binary.compile_flags, path);
  const int n = tools.major;
  return fmt::format(
      R"(# The flags that made bin/{name}, for a build of your own. They are shell; paste or source them.
#
# Source:    {source}
# Compiler:  clang {version}; the profile is read by clang {n} and later, not by an earlier one
# Profile:   {name}.profdata, sha256 {hash}
#
# Add them to your project's own release flags, behind them, in every compilation and every link. The
# profile fits this source: functions that you have changed since are compiled without it, and the
# compiler says so ("hash mismatch"). The path must be absolute.

PROFILE=$PWD/{name}.profdata
export CC=clang-{n} CXX=clang++-{n}
export AR=llvm-ar-{n} RANLIB=llvm-ranlib-{n} NM=llvm-nm-{n}   # they can read ThinLTO's objects
HONE_CFLAGS="{compile}"
HONE_LDFLAGS="{compile} {link}"

# CMake:     cmake -S . -B build -DCMAKE_BUILD_TYPE=Release \
#              -DCMAKE_C_FLAGS="$HONE_CFLAGS" -DCMAKE_CXX_FLAGS="$HONE_CFLAGS" \
#              -DCMAKE_EXE_LINKER_FLAGS="$HONE_LDFLAGS" \
#              -DCMAKE_AR=$(command -v $AR) -DCMAKE_RANLIB=$(command -v $RANLIB)
# Autotools: configure without them (they break libtool's probes), then
#              make CC="$CC $HONE_CFLAGS" CXX="$CXX $HONE_CFLAGS" LDFLAGS="-fuse-ld=lld"
)",
      fmt::arg("name", name), fmt::arg("source", source.text), fmt::arg("version", tools.version),
      fmt::arg("n", n), fmt::arg("hash", profile.sha256), fmt::arg("compile", compile),
      fmt::arg("link", pasted(binary.link_flags, path)));
}

}  // namespace hone::pipeline
