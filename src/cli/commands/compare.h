// `hone compare`: the proof for any two commands, without a recipe.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "system/system.h"

namespace hone::cli {

void add_compare(CLI::App& app, system::System& system, const std::string& command, int* exit_code);

}  // namespace hone::cli
