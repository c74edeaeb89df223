// How reports look on this process's standard output.
#pragma once

#include "pipeline/report/terminal.h"
#include "system/terminal.h"

namespace hone::cli {

inline pipeline::report::TerminalStyle terminal_style() {
  constexpr int kStdout = 1;
  pipeline::report::TerminalStyle style;
  // A pipe or a file has no width of its own: the report's own default holds.
  if (system::is_terminal(kStdout)) style.width = system::terminal_width(kStdout);
  style.colour = system::wants_colour(kStdout);
  return style;
}

}  // namespace hone::cli
