#include "measure/statistics/wakes_fit.h"

#include <gtest/gtest.h>

#include <limits>

#include "measure/statistics/fisher.h"

namespace hone::measure {
namespace {

using Patterns = std::vector<std::vector<WakePoint>>;

const Patterns kPatterns = {{{20.1, 1.02}, {20.5, 1.0}, {19.8, 0.98}},
                            {{14.2, 0.26}, {14.6, 0.25}, {14.1, 0.25}},
                            {{12.9, 0.07}, {12.6, 0.06}, {12.8, 0.0625}},
                            {{12.4, 0.016}, {12.6, 0.0156}, {12.1, 0.015}}};

// Printed by statsmodels 0.14 and scipy 1.17: WLS of cost on the pattern's mean wakes with the
// weight 1/(mean cost)^2, its params and conf_int()[0]; F = ((ssr - pure)/2) / (pure/8),
// stats.f.sf(F, 2, 8).
TEST(FitWakes, AgreesWithStatsmodels) {
  const auto fit = fit_wakes(kPatterns);
  ASSERT_TRUE(fit);
  EXPECT_NEAR(fit->work, 12.26336033, 1e-7);
  EXPECT_NEAR(fit->per_wake, 7.88798667, 1e-7);
  EXPECT_NEAR(fit->work_low, 12.09199678, 1e-7);
  EXPECT_NEAR(fit->work_high, 12.43472388, 1e-7);
  EXPECT_NEAR(fit->lack_of_fit_p, 0.94953419, 1e-7);
  EXPECT_TRUE(fit->holds());
}

TEST(FitWakes, SaysWhenThePatternsAreNoLine) {
  Patterns bent = kPatterns;
  for (WakePoint& point : bent[1]) point.cost += 1.5;
  const auto fit = fit_wakes(bent);
  ASSERT_TRUE(fit);
  EXPECT_LT(fit->lack_of_fit_p, 0.01);
  EXPECT_FALSE(fit->holds());
}

TEST(FitWakes, WantsFourPatternsThatDifferAndTwoRoundsOfEach) {
  Patterns few(kPatterns.begin(), kPatterns.begin() + 3);
  EXPECT_FALSE(fit_wakes(few));
  EXPECT_FALSE(fit_wakes({}));
  Patterns alike = kPatterns;
  for (auto& pattern : alike) {
    for (WakePoint& point : pattern) point.wakes = 0.5;
  }
  EXPECT_FALSE(fit_wakes(alike));
  Patterns thin = kPatterns;
  thin[2].resize(1);
  EXPECT_FALSE(fit_wakes(thin));
  Patterns free = kPatterns;
  free[0][0].cost = 0;
  EXPECT_FALSE(fit_wakes(free));
}

TEST(FitWakes, RoundsThatDoNotScatterAreNoReasonToFail) {
  Patterns exact;
  for (const double wakes : {1.0, 0.25, 0.0625, 0.015625}) {
    exact.push_back({{10 + 8 * wakes, wakes}, {10 + 8 * wakes, wakes}});
  }
  const auto fit = fit_wakes(exact);
  ASSERT_TRUE(fit);
  EXPECT_NEAR(fit->work, 10, 1e-9);
  EXPECT_NEAR(fit->per_wake, 8, 1e-9);
}

// Printed by scipy: stats.f_oneway([1.9, 2.1, 2.2], [2.0, 2.3, 1.8], [2.6, 2.4, 2.9]).pvalue
TEST(SameMean, AgreesWithScipy) {
  EXPECT_NEAR(same_mean_p({{1.9, 2.1, 2.2}, {2.0, 2.3, 1.8}, {2.6, 2.4, 2.9}}), 0.028492759, 1e-8);
  EXPECT_EQ(same_mean_p({{1, 2}}), 1);
  EXPECT_EQ(same_mean_p({{1, 2}, {1}}), 1);
}

TEST(FUpper, HasItsEnds) {
  EXPECT_EQ(f_upper_p(0, 2, 8), 1);
  EXPECT_EQ(f_upper_p(std::numeric_limits<double>::infinity(), 2, 8), 0);
  EXPECT_EQ(f_upper_p(std::numeric_limits<double>::quiet_NaN(), 2, 8), 1);
}

}  // namespace
}  // namespace hone::measure
