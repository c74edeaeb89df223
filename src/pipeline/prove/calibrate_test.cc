#include "pipeline/prove/calibrate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace hone::pipeline {
namespace {

using testing::HasSubstr;

// Costs that fall with the rate, as wakes do: per request `work` plus `wake` spread over more
// requests.
auto machine(double server_work_us, double client_work_us, double wake_us, double* highest) {
  return [=](double rate) -> Result<BusyShares> {
    *highest = std::max(*highest, rate);
    const double wake = wake_us / (1 + rate / 5000);
    return BusyShares{rate * (server_work_us + wake) * 1e-6, rate * (client_work_us + wake) * 1e-6};
  };
}

TEST(SearchBusyRate, ComesToTheWantedShareFromBelow) {
  double highest = 0;
  const auto found = search_busy_rate(0.6, machine(60, 10, 20, &highest));
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->server_busy, 0.6, 0.05);
  EXPECT_EQ(found->bound, "server 60 % busy");
  EXPECT_LT(highest * 60e-6, 0.75) << "the server was overloaded on the way";
}

TEST(SearchBusyRate, StopsAtTheGeneratorsBound) {
  double highest = 0;
  const auto found = search_busy_rate(0.6, machine(10, 40, 20, &highest));
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->client_busy, 0.7, 0.06);
  EXPECT_LT(found->server_busy, 0.6);
  EXPECT_THAT(found->bound, HasSubstr("load and origin"));
}

TEST(SearchBusyRate, PassesErrorsOnAndRefusesAServerThatIsAlwaysBusy) {
  const auto failed = search_busy_rate(
      0.6, [](double) -> Result<BusyShares> { return fail(ErrorKind::kSubjectDied, "gone"); });
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().kind, ErrorKind::kSubjectDied);
  const auto unfit =
      search_busy_rate(0.6, [](double) -> Result<BusyShares> { return BusyShares{5, 0.1}; });
  ASSERT_FALSE(unfit);
  EXPECT_EQ(unfit.error().kind, ErrorKind::kMachineUnfit);
}

}  // namespace
}  // namespace hone::pipeline
