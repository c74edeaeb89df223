// `hone clean`: removes builds, legs and rounds of a subject, or of all.
#pragma once

#include <CLI/CLI.hpp>

#include "system/system.h"

namespace hone::cli {

void add_clean(CLI::App& app, system::System& system, int* exit_code);

}  // namespace hone::cli
