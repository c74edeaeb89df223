#include "cli/commands/recipe_arguments.h"

#include "system/own_program.h"

namespace hone::cli {

Result<system::Path> find_flush_library(const system::System& system) {
  auto path = system::own_program().parent_path().parent_path() / "lib/libhone_flush.so";
  if (system.files->exists(path)) return path;
  return fail(ErrorKind::kNotFound, path.string() + " is not there: training would lose profiles",
              "build or install hone whole (script/build)");
}

std::vector<CLI::Option*> add_build_arguments(CLI::App* verb, RecipeArguments* arguments) {
  auto* set = verb->add_option("--set", arguments->options.sets,
                               "KEY=VALUE: replace a value of the recipe, as in --set "
                               "prove.rounds=12");
  set->allow_extra_args(false);
  auto* smoke = verb->add_flag("--smoke", arguments->options.plan.smoke,
                               "short legs (training in under a minute) and short rounds");
  auto* full = verb->add_flag("--full", arguments->options.plan.full, "legs of a minute each")
                   ->excludes(smoke);
  auto* shapes = verb->add_option("--shapes", arguments->options.plan.shapes,
                                  "only shapes of these names (wildcards, commas)");
  return {set, smoke, full, shapes};
}

pipeline::RunOptions run_options(const RecipeArguments& arguments) {
  pipeline::RunOptions options = arguments.options;
  options.recipe = arguments.recipe;
  options.work = std::filesystem::absolute(arguments.work);
  if (!arguments.output.empty()) options.output = std::filesystem::absolute(arguments.output);
  return options;
}

}  // namespace hone::cli
