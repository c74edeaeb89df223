// The tables of a recipe, one reader each: from a tree with positions to hone's values. Internal to
// the recipe; parse_recipe() calls them in the order of the file.
#pragma once

#include <vector>

#include "base/error.h"
#include "pipeline/recipe/document.h"
#include "pipeline/recipe/recipe.h"

namespace hone::pipeline {

// `folder` is the recipe's, absolute: relative paths start there.
Status read_subject(const Node& table, Recipe*);
Status read_source(const Node& table, const system::Path& folder, const system::Files&, Source*);
Status read_build(const Node& table, Build*);
Status read_server(const Node& table, const system::Path& folder, const system::Files&,
                   subject::ServerSpec*);
Status read_shapes(const Node& array, std::vector<subject::Shape>*);
Status read_train(const Node& table, Train*);
Status read_loads(const Node& array, std::vector<Load>*);
Status read_prove(const Node& table, int workers, Prove*);

}  // namespace hone::pipeline
