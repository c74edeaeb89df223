// `hone status`: which runs there are and how far each came.
#pragma once

#include <CLI/CLI.hpp>

#include "system/system.h"

namespace hone::cli {

void add_status(CLI::App& app, system::System& system, int* exit_code);

}  // namespace hone::cli
