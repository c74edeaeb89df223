#include "base/random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <set>

namespace hone {
namespace {

// From a second implementation (Python), which itself gives the published first outputs of
// xoshiro256** for the state {1, 2, 3, 4} and of splitmix64 for the seed 0.
TEST(Random, IsXoshiro256StarStar) {
  Random zero(0);
  EXPECT_EQ(zero.next(), 11091344671253066420U);
  EXPECT_EQ(zero.next(), 13793997310169335082U);
  EXPECT_EQ(zero.next(), 1900383378846508768U);
  Random answer(42);
  EXPECT_EQ(answer.next(), 1546998764402558742U);
  EXPECT_EQ(answer.next(), 6990951692964543102U);
}

TEST(Random, UniformFillsItsRange) {
  Random random(1);
  double low = 1;
  double high = 0;
  double sum = 0;
  for (int i = 0; i < 100'000; ++i) {
    const double u = random.uniform();
    low = std::min(low, u);
    high = std::max(high, u);
    sum += u;
  }
  EXPECT_GE(low, 0);
  EXPECT_LT(high, 1);
  EXPECT_LT(low, 1e-3);
  EXPECT_GT(high, 1 - 1e-3);
  EXPECT_NEAR(sum / 100'000, 0.5, 0.005);
}

TEST(Random, BelowIsEven) {
  Random random(2);
  std::array<int, 6> seen{};
  for (int i = 0; i < 60'000; ++i) ++seen.at(random.below(6));
  for (const int n : seen) EXPECT_NEAR(n, 10'000, 400);  // four standard deviations are 365
  EXPECT_EQ(random.below(1), 0U);
}

TEST(Random, BelowIsUnbiasedForHugeRanges) {
  // With plain remainders the lower half would be drawn twice as often.
  Random random(3);
  const std::uint64_t n = 3ULL << 62;
  int low = 0;
  for (int i = 0; i < 10'000; ++i) low += random.below(n) < n / 2 ? 1 : 0;
  EXPECT_NEAR(low, 5'000, 250);
}

TEST(Random, ExponentialAndNormalHaveTheirMoments) {
  Random random(4);
  double exponential = 0;
  double normal = 0;
  double squares = 0;
  constexpr int kDraws = 200'000;
  for (int i = 0; i < kDraws; ++i) {
    const double e = random.exponential(2.5);
    ASSERT_GE(e, 0);
    ASSERT_TRUE(std::isfinite(e));
    exponential += e;
    const double z = random.normal();
    normal += z;
    squares += z * z;
  }
  EXPECT_NEAR(exponential / kDraws, 2.5, 0.03);
  EXPECT_NEAR(normal / kDraws, 0, 0.01);
  EXPECT_NEAR(squares / kDraws, 1, 0.02);
}

TEST(Random, ShuffleIsAPermutationFixedByTheSeed) {
  std::vector<int> items(50);
  std::iota(items.begin(), items.end(), 0);
  std::vector<int> again = items;
  const std::vector<int> sorted = items;
  Random(7).shuffle(items);
  Random(7).shuffle(again);
  EXPECT_EQ(items, again);
  EXPECT_NE(items, sorted);
  std::sort(items.begin(), items.end());
  EXPECT_EQ(items, sorted);
}

TEST(Random, DerivedSeedsDiffer) {
  EXPECT_EQ(derive_seed(42, 1), 0xf4abd143feb24055U);
  std::set<std::uint64_t> seeds;
  for (std::uint64_t seed = 0; seed < 100; ++seed)
    for (std::uint64_t purpose = 0; purpose < 100; ++purpose)
      seeds.insert(derive_seed(seed, purpose));
  EXPECT_EQ(seeds.size(), 10'000U);
}

}  // namespace
}  // namespace hone
