// Which entry of a request list is sent next: drawn by the entries' shares from a seed, whatever
// connection it goes to. Pure, and constant time however long the list is.
#pragma once

#include <cstdint>
#include <vector>

#include "base/random.h"

namespace hone::traffic::load {

class Mix {
 public:
  Mix() = default;  // a list of one entry: nothing is drawn
  // Each above zero; what counts is their part of the sum. Precondition: not empty.
  explicit Mix(const std::vector<double>& shares);
  void seed(std::uint64_t seed) { random_ = Random(seed); }
  std::uint16_t draw() {
    if (columns_.empty()) return 0;
    const double at = random_.uniform() * static_cast<double>(columns_.size());
    const auto column = static_cast<std::size_t>(at);
    const bool own = at - static_cast<double>(column) < columns_[column].own;
    return own ? static_cast<std::uint16_t>(column) : columns_[column].other;
  }

 private:
  struct Column {  // of the alias method: an entry, and the one that fills the column up
    double own = 1;
    std::uint16_t other = 0;
  };
  std::vector<Column> columns_;  // empty: one entry
  Random random_{0};
};

}  // namespace hone::traffic::load
