#include "pipeline/sweep/rates.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <set>

namespace hone::pipeline {
namespace {

using testing::ElementsAre;

// A server that holds every rate up to `ceiling`.
struct Model {
  double ceiling = 0;
  std::vector<double> asked = {};
  Result<Probe> operator()(double rate) {
    asked.push_back(rate);
    Probe probe;
    probe.held = rate <= ceiling;
    if (!probe.held) probe.why = "p99";
    return probe;
  }
};

TEST(SearchCeiling, ComesWithinATenthFromBelow) {
  for (const double ceiling : {4.0, 37.0, 499.0, 500.0, 730.0, 19'000.0, 2'000'000.0}) {
    Model model{ceiling};
    const auto found = search_ceiling(std::ref(model));
    ASSERT_TRUE(found);
    EXPECT_LE(found->rate, ceiling);
    // One more tenth for rates that are rounded.
    EXPECT_GE(found->rate * 1.11, std::min(ceiling, 1e7)) << ceiling;
    EXPECT_EQ(found->why, "p99");
    EXPECT_FALSE(found->generator_limited);
    EXPECT_LT(model.asked.size(), 32u) << ceiling;
  }
}

TEST(SearchCeiling, SaysThatNotEvenALittleHolds) {
  Model model{1};
  const auto found = search_ceiling(std::ref(model));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->rate, 0);
  EXPECT_EQ(found->why, "p99");
}

TEST(SearchCeiling, TakesAStallForWhatItIs) {
  Model model{10'000};
  int asked = 0;
  const auto found = search_ceiling([&](double rate) -> Result<Probe> {
    if (++asked == 1) return Probe{false, false, "a stall"};
    return model(rate);
  });
  ASSERT_TRUE(found);
  EXPECT_GT(found->rate, 9'000);
}

TEST(SearchCeiling, SaysThatTheGeneratorEndedIt) {
  const auto found = search_ceiling([](double rate) -> Result<Probe> {
    return Probe{rate < 30'000, rate >= 30'000, "load and origin"};
  });
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->generator_limited);
  EXPECT_LT(found->rate, 30'000);
}

TEST(SearchCeiling, PassesErrorsOn) {
  const auto found =
      search_ceiling([](double) -> Result<Probe> { return fail(ErrorKind::kNetwork, "gone"); });
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().kind, ErrorKind::kNetwork);
}

TEST(SpreadRates, GoesPastTheHighestCeilingAndLiesDenseAboutBoth) {
  const auto rates = spread_rates({{10'000, false, ""}, {13'000, false, ""}}, 12);
  ASSERT_EQ(rates.size(), 12u);
  EXPECT_TRUE(std::is_sorted(rates.begin(), rates.end()));
  EXPECT_THAT(std::vector<double>(rates.begin(), rates.begin() + 4),
              ElementsAre(1750, 3500, 5250, 7000));
  EXPECT_NEAR(rates.back(), 1.15 * 13'000, 100);
  for (std::size_t i = 4; i < rates.size(); ++i) EXPECT_LT(rates[i] - rates[i - 1], 1050);
}

TEST(SpreadRates, StopsWhereTheGeneratorDoes) {
  EXPECT_EQ(spread_rates({{10'000, true, ""}}, 12).back(), 10'000);
}

TEST(SpreadRates, HoldsEachRateOnce) {
  const auto rates = spread_rates({{4, false, ""}}, 40);
  EXPECT_EQ(std::set<double>(rates.begin(), rates.end()).size(), rates.size());
}

std::vector<std::pair<std::size_t, double>> order_of(std::uint64_t seed) {
  Random random(seed);
  std::vector<std::pair<std::size_t, double>> order;
  for (const PassItem& item : pass_order(2, {1, 2, 3, 4, 5, 6, 7, 8}, random))
    order.emplace_back(item.arm, item.rate);
  return order;
}

TEST(PassOrder, HoldsEveryPointOnceInAnOrderOfItsSeed) {
  auto order = order_of(1);
  EXPECT_EQ(order, order_of(1));
  EXPECT_NE(order, order_of(2));
  EXPECT_FALSE(std::is_sorted(order.begin(), order.end()));
  std::sort(order.begin(), order.end());
  EXPECT_EQ(order.size(), 16u);
  EXPECT_EQ(std::adjacent_find(order.begin(), order.end()), order.end());
}

// Over many seeds every place is as likely to hold a high rate as a low one, on either arm.
TEST(PassOrder, TiesNoRateAndNoArmToAPlace) {
  constexpr int kSeeds = 4000;
  double first_rates = 0, last_rates = 0, first_arms = 0;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const auto order = order_of(seed);
    first_rates += order.front().second;
    last_rates += order.back().second;
    first_arms += static_cast<double>(order.front().first);
  }
  // Five standard errors: 2.29 (of a rate) and 0.5 (of an arm) over the root of 4,000.
  EXPECT_NEAR(first_rates / kSeeds, 4.5, 0.19);
  EXPECT_NEAR(last_rates / kSeeds, 4.5, 0.19);
  EXPECT_NEAR(first_arms / kSeeds, 0.5, 0.04);
}

}  // namespace
}  // namespace hone::pipeline
