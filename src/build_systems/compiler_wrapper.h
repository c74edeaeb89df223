// The compiler as a project under hone meets it: a small shell script that runs the real one with
// the variant's flags after the project's own. It works with every build system, because every
// build system lets its user name the compiler.
#pragma once

#include <map>
#include <string>

#include "base/error.h"
#include "build_systems/driver.h"

namespace hone::build_systems {

// Set to 1 while a project probes the compiler: the scripts then pass everything through unchanged.
inline constexpr char kProbing[] = "HONE_PROBING";

struct Wrappers {
  system::Path cc, cxx;  // TREE/.hone/cc, TREE/.hone/cxx
};

// Text of one script.
std::string wrapper_script(const std::string& compiler, const std::string& version,
                           const Flags& flags);

// Writes both scripts; leaves those alone that already say the same, so that whoever looks at the
// compiler's time sees no change when a cut build goes on.
Result<Wrappers> write_wrappers(const Job&, system::System&);

// The job's environment with what the scripts need beside them, for compiling and for probing.
std::map<std::string, std::string> wrapper_environment(const Job&);
std::map<std::string, std::string> probing_environment(const Job&);

}  // namespace hone::build_systems
