// `hone sweep`: loads up to saturation, of a recipe's builds or of any commands.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "system/system.h"

namespace hone::cli {

void add_sweep(CLI::App& app, system::System& system, const std::string& command, int* exit_code);

}  // namespace hone::cli
