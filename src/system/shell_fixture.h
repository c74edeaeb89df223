// For tests: a command that the shell reads.
#pragma once

#include <string>

#include "system/processes.h"

namespace hone::system {

inline Command shell(const std::string& script) {
  Command command;
  command.argv = {"sh", "-c", script};
  return command;
}

}  // namespace hone::system
