// `hone origin`: the upstream server by itself.
#pragma once

#include <CLI/CLI.hpp>

#include "system/system.h"

namespace hone::cli {

void add_origin(CLI::App& app, system::System& system, int* exit_code);

}  // namespace hone::cli
