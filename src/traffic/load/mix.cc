// The alias method (Walker 1977, in Vose's form): n columns of equal height, each filled by its own
// entry and at most one other, so that one random number chooses both. A search in running sums
// would cost more the longer the list is, and thus change the generator with the mix.
#include "traffic/load/mix.h"

#include <numeric>

namespace hone::traffic::load {

Mix::Mix(const std::vector<double>& shares) {
  if (shares.size() < 2) return;
  const double sum = std::accumulate(shares.begin(), shares.end(), 0.0);
  std::vector<double> height;  // 1 is a whole column
  std::vector<std::uint16_t> low, high;
  for (std::size_t i = 0; i < shares.size(); ++i) {
    height.push_back(shares[i] / sum * static_cast<double>(shares.size()));
    (height[i] < 1 ? low : high).push_back(static_cast<std::uint16_t>(i));
  }
  columns_.resize(shares.size());
  while (!low.empty() && !high.empty()) {
    const std::uint16_t filled = low.back();
    const std::uint16_t giver = high.back();
    low.pop_back();
    columns_[filled] = {height[filled], giver};
    height[giver] -= 1 - height[filled];
    if (height[giver] >= 1) continue;
    high.pop_back();
    low.push_back(giver);
  }
  // What is left is whole but for rounding: the columns' default.
}

}  // namespace hone::traffic::load
