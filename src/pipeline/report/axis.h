// The ends and steps of an axis that holds given values and reads in round figures.
#pragma once

#include <vector>

#include "pipeline/report/model.h"

namespace hone::pipeline::report {

// Ticks at ratios, labelled in per cent without the sign for it; 0 is always one. low <= high.
std::vector<Forest::Tick> percent_ticks(double low, double high);

// From 0 up to `high` or a little more, labelled as counts or with the decimals they need. high >
// 0.
std::vector<Forest::Tick> plain_ticks(double high);
// Over log10 of the values, at 1, 2 and 5 times powers of ten; labels are the values. 0 < low <
// high.
std::vector<Forest::Tick> log_ticks(double low, double high);

}  // namespace hone::pipeline::report
