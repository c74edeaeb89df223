// Which files of a folder are source: what identifies it, and what a build in place is given.
#pragma once

#include <string>
#include <vector>

#include "base/error.h"
#include "build_systems/steps.h"
#include "system/system.h"

namespace hone::build_systems {

struct SourceTree {
  std::vector<std::string> files;  // relative to the root, sorted
  // Folders that are no source: .git, .hone, trees that a build left (known by their CMakeCache.txt
  // or build.ninja) and what hone itself handed out (known by recipe.locked.json).
  std::vector<std::string> left_out;
};
Result<SourceTree> read_source_tree(const system::Path& root, system::System&);

// One hash over the names and contents of the files of a SourceTree.
Result<std::string> source_hash(const system::Path& root, system::System&);

// Copies job.source into job.tree, once per tree, with times, modes and links.
Status copy_source(const Job&, Steps&, system::System&);

}  // namespace hone::build_systems
