#include "traffic/load/mix.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

namespace hone::traffic::load {
namespace {

TEST(MixTest, EntriesAreDrawnByTheirShares) {
  constexpr int kDraws = 200'000;
  for (const std::vector<double>& shares :
       {std::vector<double>{1, 1}, {3, 1}, {0.7, 0.2, 0.05, 0.05}, {1e-3, 1, 1000, 5, 17}}) {
    Mix mix(shares);
    mix.seed(7);
    std::vector<int> drawn(shares.size());
    for (int i = 0; i < kDraws; ++i) ++drawn[mix.draw()];
    const double sum = std::accumulate(shares.begin(), shares.end(), 0.0);
    for (std::size_t i = 0; i < shares.size(); ++i) {
      const double p = shares[i] / sum;
      // Five deviations of a binomial count.
      EXPECT_NEAR(p * kDraws, drawn[i], 5 * std::sqrt(kDraws * p * (1 - p)) + 1) << i;
    }
  }
}

TEST(MixTest, ASeedRepeatsTheSequenceAndAnotherDoesNot) {
  const auto sequence = [](std::uint64_t seed) {
    Mix mix({1, 2, 3});
    mix.seed(seed);
    std::vector<int> drawn;
    for (int i = 0; i < 100; ++i) drawn.push_back(mix.draw());
    return drawn;
  };
  EXPECT_EQ(sequence(1), sequence(1));
  EXPECT_NE(sequence(1), sequence(2));
}

TEST(MixTest, AListOfOneNeedsNoDraw) {
  Mix mix({0.25});
  EXPECT_EQ(0, mix.draw());
  EXPECT_EQ(0, Mix().draw());
}

}  // namespace
}  // namespace hone::traffic::load
