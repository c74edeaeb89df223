#pragma once

#include <vector>

namespace hone::measure {

// The middle value; of an even number of them the mean of the two in the middle; 0 of none.
double median(std::vector<double> values);

}  // namespace hone::measure
