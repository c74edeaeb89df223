// Seeded random numbers that are the same on every machine and standard library: a proof prints its
// seed, and the seed must repeat it. (std::*_distribution gives other numbers in other libraries.)
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace hone {

// xoshiro256** 1.0 by Blackman and Vigna (public domain), seeded through splitmix64.
class Random {
 public:
  explicit Random(std::uint64_t seed);
  std::uint64_t next();
  double uniform();                      // [0, 1)
  std::uint64_t below(std::uint64_t n);  // [0, n), unbiased; n > 0
  double exponential(double mean);       // mean > 0
  double normal();                       // mean 0, deviation 1 (Box-Muller)

  template <typename T>
  void shuffle(std::vector<T>& items) {
    for (std::size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[below(i)]);
  }

 private:
  std::uint64_t state_[4];
};

// A seed for one purpose drawn from another seed: streams that do not overlap in practice.
std::uint64_t derive_seed(std::uint64_t seed, std::uint64_t purpose);

}  // namespace hone
