// The line of a build's output that says what went wrong first; what follows it follows from it.
#pragma once

#include <string>
#include <string_view>

namespace hone::build_systems {

struct FirstError {
  std::string text;  // one line; empty when the output is empty
  bool disk_full = false;
};

FirstError first_error(std::string_view output);

}  // namespace hone::build_systems
