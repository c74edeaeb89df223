// The folder in which a variant is built.
#pragma once

#include "base/error.h"
#include "system/files.h"

namespace hone::pipeline {

struct BuildTree {
  system::Path path;
  bool resumed = false;  // an earlier, cut build of the same variant left it
};

// Makes `place` the tree of the build that works in `work`. The tree of another build, cut before
// its end, is put aside into that build's own folder, and taken back from there when its turn
// comes.
Result<BuildTree> enter_build_tree(const system::Path& place, const system::Path& work,
                                   system::Files&);

}  // namespace hone::pipeline
