// What changed between two fingerprints, as short lines for a reader.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace hone::pipeline {

using Fields = std::vector<std::pair<std::string, std::string>>;

// One line a changed field, "build.jobs: 2 -> 4"; where both values are JSON objects, one line a
// changed member, "shape.path: "/a" -> "/b"". Long values are cut around where they differ.
std::vector<std::string> field_changes(const Fields& before, const Fields& after);

}  // namespace hone::pipeline
