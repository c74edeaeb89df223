// The tools that one place or one LLVM major offers, found and asked for their version, before
// anything is decided about them. discover() decides, examine() shows.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "system/system.h"
#include "toolchain/toolchain.h"

namespace hone::toolchain {

// Where tools are looked for: the machine's own places, or a test's.
struct Places {
  std::vector<system::Path> path;  // folders of PATH, in order
  system::Path llvm_root;          // holds llvm-22/bin and the like: /usr/lib on Debian and Ubuntu
};
Places standard_places();

// One tool's part in a set.
struct Role {
  const char* tool;     // "ld.lld"
  const char* package;  // Debian's, before "-22": "lld"
  const char* banner;   // what precedes the version in its --version: "LLD "
  std::string Toolchain::* member;
};
const std::vector<Role>& roles();

struct FoundTool {
  const Role* role = nullptr;
  std::string path;     // empty: not there
  std::string version;  // "22.1.8"; empty: it does not say
  int major = 0;
};

struct ToolSet {
  std::string place;             // "/opt/llvm/bin" or "LLVM 22": for texts
  int major = 0;                 // what all of it should be: as asked for, else clang's own
  std::vector<FoundTool> tools;  // in the order of roles()
  std::string profile_runtime;   // empty: not there
  bool complete() const;
};

// What `wanted` names, or what the machine has when it is empty: the newest complete set, else the
// newest incomplete one; nullopt when no clang is anywhere. kRecipe when `wanted` is neither a
// major nor a folder; kInterrupted.
Result<std::optional<ToolSet>> find_set(const std::string& wanted, const Places&, system::System&);

// "22.1.8" out of a --version text; empty when `banner` is not in it.
std::string version_in(const std::string& text, const std::string& banner);
int major_of(const std::string& version);  // 0 when it is no version

std::string package_of(const Role&, int major);  // "lld-22"
std::string runtime_package(int major);          // "libclang-rt-22-dev"
std::string install_line(int major);             // the apt-get line for a whole set

// discover() and examine() over given places.
Result<Toolchain> discover_in(const std::string& wanted, const Places&, system::System&);
std::vector<ToolLine> examine_in(const std::string& wanted, const Places&, system::System&);

}  // namespace hone::toolchain
