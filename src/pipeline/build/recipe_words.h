// Places in what a recipe says about building: {recipe_dir} is the recipe's own folder, {source}
// the source, {tree} the build tree. Any other brace is the build system's business and stays.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/error.h"
#include "pipeline/recipe/recipe.h"
#include "system/system.h"

namespace hone::pipeline {

class RecipeWords {
 public:
  RecipeWords(const Recipe&, std::string source, std::string tree);
  std::string fill(std::string text) const;
  std::vector<std::string> fill(std::vector<std::string> texts) const;

 private:
  std::string recipe_dir_, source_, tree_;
};

// Files and folders beside the recipe that its build names by {recipe_dir}/..., with their hashes:
// what is in them changes the binary too. A name with wildcards or variables stands for the folder
// they are in. kRecipe when one is not there.
Result<std::map<std::string, std::string>> recipe_files(const Recipe&, system::System&);

}  // namespace hone::pipeline
