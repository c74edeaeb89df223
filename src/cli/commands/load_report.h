// What `hone load` prints for people: counts, tables and histograms as text.
#pragma once

#include <string>

#include "cli/commands/load_options.h"
#include "traffic/load/load_session.h"

namespace hone::cli {

std::string load_summary(const LoadArguments&, const traffic::load::SliceResult&);
// One bar for each part of the scale 1, 2, 5, 10 ... microseconds, at most `width` characters long.
std::string histogram_text(const traffic::load::Histogram&, int width);

}  // namespace hone::cli
