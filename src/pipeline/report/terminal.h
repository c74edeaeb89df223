// The report for a terminal: the short parts, in the width there is.
#pragma once

#include <string>

#include "pipeline/report/model.h"

namespace hone::pipeline::report {

struct TerminalStyle {
  int width = 100;
  bool colour = false;      // system::wants_colour() decides
  bool unicode = true;      // false: ASCII alone
  bool everything = false;  // all sections, not the short ones only
};

std::string render_terminal(const Model&, const TerminalStyle&);

}  // namespace hone::pipeline::report
