// `hone load --control`: a load session for a program at the other end of standard input and
// output.
#pragma once

#include "cli/commands/load_options.h"

namespace hone::cli {

// Returns the exit status; does not come back when the other side closes its end while a slice
// runs.
int run_load_control(const LoadArguments& arguments);

}  // namespace hone::cli
