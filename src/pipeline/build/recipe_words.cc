#include "pipeline/build/recipe_words.h"

#include "base/text.h"
#include "build_systems/source_files.h"

namespace hone::pipeline {
namespace {

constexpr char kRecipeDir[] = "{recipe_dir}";
// What ends a name in a shell's line or a build system's list.
constexpr char kEnds[] = " \t\n;:,\"'()&|<>";
// From here on only the shell knows the name.
constexpr char kWildcards[] = "$`*?[";

// The name at the start of `text`, or the folder that holds whatever the shell makes of it.
std::string name_at_start(const std::string& text) {
  std::string name = text.substr(0, text.find_first_of(kEnds));
  if (const auto wildcard = name.find_first_of(kWildcards); wildcard != std::string::npos) {
    const auto slash = name.rfind('/', wildcard);
    name.erase(slash == std::string::npos ? 0 : slash);
  }
  while (name.ends_with('/')) name.pop_back();
  return name.empty() ? "." : name;
}

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
      const std::string name = name_at_start(text.substr(at + start.size()));
      const system::Path path = system::Path(recipe.file).parent_path() / name;
      if (hashes.count(name) != 0) continue;
      if (os.files->is_directory(path)) {
        HONE_TRY(hashes[name], build_systems::source_hash(path, os));
        continue;
      }
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
