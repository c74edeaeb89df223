// The ends and steps of an axis that holds given values and reads in round figures.
#pragma once

#include <vector>

#include "pipeline/report/model.h"

namespace hone::pipeline::report {

// Ticks at ratios, labelled in per cent without the sign for it; 0 is always one. low <= high.
std::vector<Forest::Tick> percent_ticks(double low, double high);

}  // namespace hone::pipeline::report
