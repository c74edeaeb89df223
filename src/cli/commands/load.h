// `hone load`: the load generator by itself.
#pragma once

#include <CLI/CLI.hpp>

#include "system/system.h"

namespace hone::cli {

void add_load(CLI::App& app, system::System& system, int* exit_code);

}  // namespace hone::cli
