// The signals that a recipe or a command line may name to stop a server.
#pragma once

#include <string>
#include <vector>

namespace hone::subject {

// "TERM" or "SIGTERM" -> SIGTERM; 0 for an unknown name.
int signal_number(const std::string& name);
std::vector<std::string> known_signals();  // "TERM", "INT", ...

}  // namespace hone::subject
