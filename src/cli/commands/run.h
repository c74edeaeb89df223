// `hone run` and its stages: build, train, profile, optimize, prove, report.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "system/system.h"

namespace hone::cli {

void add_run(CLI::App& app, system::System& system, const std::string& command, int* exit_code);

}  // namespace hone::cli
