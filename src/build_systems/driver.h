// Drives one kind of build. Knows flags and targets, nothing of profiles or why they are there.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/error.h"
#include "system/system.h"
#include "toolchain/toolchain.h"

namespace hone::build_systems {

// Appended to the project's own, by a compiler wrapper, and never during configure-time probes.
struct Flags {
  std::vector<std::string> compile;  // every compilation
  std::vector<std::string> link;     // every link, after `compile`
};

struct Job {
  system::Path source;                 // never written to; systems that build in place get a copy
  system::Path tree;                   // build tree of this variant, hone's own
  std::string target;                  // what to build; empty: the default target
  std::string binary;                  // where the result is, relative to the tree
  std::vector<std::string> configure;  // arguments for the project's own configure step
  std::vector<std::string>
      commands;  // `custom` only: shell lines, run in the tree with CC, CXX ...
  std::map<std::string, std::string> env;
  int jobs = 1;
  Flags flags;
  toolchain::Toolchain tools;
  system::Path log;  // everything the build prints, appended
  double limit_s = 7200;
};

struct Built {
  system::Path binary;
  double wall_s = 0, cpu_s = 0;
  long peak_rss_kib = 0;  // of the largest single process
};

class Driver {
 public:
  virtual ~Driver() = default;
  // kBuildFailed carries the first error line of the log (file and line) and the log's path.
  // An interrupted build resumes in the same tree.
  virtual Result<Built> build(const Job&, system::System&) = 0;
};

// "cmake", "autotools", "custom", "prebuilt"; nullptr for an unknown one.
std::unique_ptr<Driver> make_driver(const std::string& system_name);
std::vector<std::string> known_systems();

}  // namespace hone::build_systems
