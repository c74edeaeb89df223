#include "pipeline/build/recipe_words.h"

#include "base/text.h"

namespace hone::pipeline {
namespace {

constexpr char kRecipeDir[] = "{recipe_dir}";

}  // namespace

RecipeWords::RecipeWords(const Recipe& recipe, std::string source, std::string tree)
    : recipe_dir_(system::Path(recipe.file).parent_path().string()),
      source_(std::move(source)),
      tree_(std::move(tree)) {}

std::string RecipeWords::fill(std::string text) const {
  text = replace_all(std::move(text), kRecipeDir, recipe_dir_);
  text = replace_all(std::move(text), "{source}", source_);
  return replace_all(std::move(text), "{tree}", tree_);
}

std::vector<std::string> RecipeWords::fill(std::vector<std::string> texts) const {
  for (std::string& text : texts) text = fill(std::move(text));
  return texts;
}

Result<std::map<std::string, std::string>> recipe_files(const Recipe& recipe, system::System& os) {
  std::vector<std::string> texts = recipe.build.configure;
  texts.insert(texts.end(), recipe.build.commands.begin(), recipe.build.commands.end());
  for (const auto& [name, value] : recipe.build.env) texts.push_back(value);
  const std::string start = std::string(kRecipeDir) + "/";
  std::map<std::string, std::string> hashes;
  for (const std::string& text : texts) {
    for (std::size_t at = text.find(start); at != std::string::npos;
         at = text.find(start, at + 1)) {
      const std::string rest = text.substr(at + start.size());
      const std::string name = rest.substr(0, rest.find_first_of(" \t;:,\"'"));
      const system::Path path = system::Path(recipe.file).parent_path() / name;
      if (os.files->is_directory(path)) continue;  // a place, not a part of the build
      if (!os.files->exists(path)) {
        return fail(ErrorKind::kRecipe, "[build] names " + path.string() + ", which is not there",
                    "put it beside " + recipe.file + " or mend the name");
      }
      HONE_TRY(hashes[name], os.files->sha256(path));
    }
  }
  return hashes;
}

}  // namespace hone::pipeline
