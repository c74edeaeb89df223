#include "measure/statistics/order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

namespace hone::measure {
namespace {

std::string text(const std::vector<int>& order) {
  std::string result;
  for (const int arm : order) result += std::to_string(arm);
  return result;
}

class SliceOrder : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Arms, SliceOrder, testing::Values(2, 3, 4));

TEST_P(SliceOrder, serves_every_arm_equally_in_blocks) {
  const int arms = GetParam();
  for (int slices = 1; slices <= 12; ++slices) {
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
      Random random(seed);
      const std::vector<int> order = slice_order(arms, slices, random);
      ASSERT_EQ(order.size(), static_cast<std::size_t>(arms * slices)) << text(order);
      for (std::size_t block = 0; block < order.size(); block += arms) {
        const std::set<int> seen(order.begin() + block, order.begin() + block + arms);
        ASSERT_EQ(seen.size(), static_cast<std::size_t>(arms)) << text(order);
        ASSERT_EQ(*seen.begin(), 0);
        ASSERT_EQ(*seen.rbegin(), arms - 1);
      }
    }
  }
}

TEST_P(SliceOrder, lets_every_arm_follow_every_other_equally_often_and_never_itself) {
  const int arms = GetParam();
  for (int slices = 1; slices <= 12; ++slices) {
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
      Random random(seed);
      const std::vector<int> order = slice_order(arms, slices, random);
      std::map<std::pair<int, int>, int> follows;
      for (int from = 0; from < arms; ++from) {
        for (int to = 0; to < arms; ++to) {
          if (from != to) follows[{from, to}] = 0;
        }
      }
      for (std::size_t i = 1; i < order.size(); ++i) {
        ASSERT_NE(order[i - 1], order[i]) << text(order);
        ++follows[{order[i - 1], order[i]}];
      }
      const auto [least, most] = std::minmax_element(
          follows.begin(), follows.end(),
          [](const auto& left, const auto& right) { return left.second < right.second; });
      ASSERT_LE(most->second - least->second, 1)
          << arms << " arms, " << slices << " slices, seed " << seed << ": " << text(order);
    }
  }
}

TEST_P(SliceOrder, repeats_from_its_seed_and_differs_between_seeds) {
  const int arms = GetParam();
  std::set<std::string> orders;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    Random first(seed), second(seed);
    const std::string order = text(slice_order(arms, 8, first));
    EXPECT_EQ(order, text(slice_order(arms, 8, second)));
    orders.insert(order);
  }
  // Two arms can only take turns: who begins is all there is to draw.
  EXPECT_GE(orders.size(), arms == 2 ? 2u : 15u);
}

// A first-slot penalty must not always hit the same arm: over many rounds each begins equally
// often.
TEST_P(SliceOrder, begins_with_every_arm_equally_often) {
  const int arms = GetParam();
  std::vector<int> begins(arms, 0);
  Random random(7);
  for (int round = 0; round < 1200; ++round) ++begins[slice_order(arms, 8, random).front()];
  // Binomial: 1200 rounds over 2 to 4 arms deviate by at most 17 (one sigma); 70 is four of them.
  for (const int count : begins) EXPECT_NEAR(count, 1200 / arms, 70);
}

// A linear drift adds d per slice: what is left of it between two arms is the distance of their
// mean positions. Blocks alone would allow arms - 1 slices.
TEST_P(SliceOrder, meets_a_linear_drift_alike) {
  const int arms = GetParam();
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    Random random(seed);
    const std::vector<int> order = slice_order(arms, 8, random);
    std::vector<double> mean(arms, 0);
    for (std::size_t i = 0; i < order.size(); ++i) mean[order[i]] += static_cast<double>(i) / 8;
    const auto [low, high] = std::minmax_element(mean.begin(), mean.end());
    EXPECT_LE(*high - *low, 1.125) << text(order);
  }
}

TEST(SliceOrderLimits, anything_else_gives_nothing) {
  Random random(1);
  EXPECT_TRUE(slice_order(1, 8, random).empty());
  EXPECT_TRUE(slice_order(5, 8, random).empty());
  EXPECT_TRUE(slice_order(3, 0, random).empty());
  EXPECT_TRUE(slice_order(3, -1, random).empty());
}

}  // namespace
}  // namespace hone::measure
