// The command line: verbs, help, exit codes. The only part of hone that prints.
#pragma once

#include "system/system.h"

namespace hone::cli {

// The process's exit status: 0 saved (or done), 2 usage, 3 unresolved, 4 worse, 5 machine unfit,
// 6 same, 7 an arm failed, 8 withheld, 10 and up one per kind of error (base/error.h).
int run_cli(int argc, char** argv, system::System& system);

}  // namespace hone::cli
