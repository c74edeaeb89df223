// --set KEY=VALUE: changes to a recipe's tree before anything is checked, so that a value from the
// command line meets the same checks as one from the file.
#pragma once

#include <string>

#include "base/error.h"
#include "pipeline/recipe/document.h"

namespace hone::pipeline {

// KEY is a dotted path. In the lists of tables, `shape` and `load`, the second part is the entry's
// name: "shape.h1-4k.train=false". Missing tables on the way are made; whether the key exists is
// found by the reader, which knows the keys. kUsage names the argument.
Status apply_set(const std::string& set, Node* root);

}  // namespace hone::pipeline
