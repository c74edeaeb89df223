// The last steps before a command runs: made in the forked child of the single-threaded supervisor.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

#include "base/error.h"
#include "system/files.h"
#include "system/supervision.h"

namespace hone::system {

// Where `name` is found: itself when it has a slash, else in the folders of `path` (as in PATH).
std::optional<Path> find_in_path(const std::string& name, const std::string& path);

// Makes this process the command; returns only when that cannot be done. `supervisor` is the parent
// it must still have.
Error become(const Order& order, pid_t supervisor);

}  // namespace hone::system
