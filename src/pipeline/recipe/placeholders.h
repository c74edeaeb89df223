// Placeholders are looked at where the line that is wrong is known, not minutes later at the first
// start.
#pragma once

#include <string>
#include <vector>

#include "pipeline/recipe/document.h"
#include "pipeline/recipe/table_reader.h"

namespace hone::pipeline {

// Faults every text below `node` that names a placeholder which is neither one of
// subject/server_spec.h nor one of `more`.
void check_placeholders(const Node& node, const std::string& key, TableReader* reader,
                        const std::vector<std::string>& more = {});

}  // namespace hone::pipeline
