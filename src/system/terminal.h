// What standard output and error are connected to.
#pragma once

#include <string>

namespace hone::system {

bool is_terminal(int fd);
int terminal_width(int fd);  // 80 when unknown
bool wants_colour(int fd);   // a terminal, NO_COLOR unset or empty, TERM not "dumb"
std::string environment(const std::string& name);  // "" when unset

}  // namespace hone::system
