// A histogram as text in HdrHistogram's percentile format (.hgrm), which its plotter and many other
// tools read: value, percentile, requests up to it, and 1/(1-percentile) as the plot's axis.
#pragma once

#include <string>

#include "base/histogram.h"

namespace hone::traffic::load {

// Values in milliseconds, as wrk2 writes them.
std::string percentile_text(const Histogram&);

}  // namespace hone::traffic::load
