// `hone doctor`: toolchain and machine, one line each: found, missing or unfit, and how to mend it.
#pragma once

#include <CLI/CLI.hpp>

#include "system/system.h"

namespace hone::cli {

void add_doctor(CLI::App& app, system::System& system, int* exit_code);

}  // namespace hone::cli
