// What every verb that works on a recipe asks on the command line: `hone run`, its stages, and
// `hone sweep`.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "pipeline/pipeline.h"
#include "system/system.h"

namespace hone::cli {

struct RecipeArguments {
  pipeline::RunOptions options;
  std::string recipe, work = ".hone", output;
  bool dry_run = false, json = false;
};

// What decides how builds and legs are made, and which shapes are looked at.
std::vector<CLI::Option*> add_build_arguments(CLI::App* verb, RecipeArguments* arguments);

// The options with the paths made absolute.
pipeline::RunOptions run_options(const RecipeArguments& arguments);

// libhone_flush.so, in ../lib beside the program's own folder. kNotFound.
Result<system::Path> find_flush_library(const system::System& system);

}  // namespace hone::cli
