#include "pipeline/prove/whole_cpu.h"

#include <gtest/gtest.h>

namespace hone::pipeline {
namespace {

TEST(UnavailableCpu, IsWhatTheSpinnerMissed) {
  // Two idle CPUs make 1,000 turns a second; 700 in a second leave 30 % of two CPUs for others.
  EXPECT_DOUBLE_EQ(unavailable_cpu_s({1, 700}, {0.5, 500}, 2), 0.6);
  EXPECT_DOUBLE_EQ(unavailable_cpu_s({2, 2000}, {0.5, 500}, 2), 0);
}

TEST(UnavailableCpu, IsNeverNegativeAndNothingWithoutASpinner) {
  EXPECT_EQ(unavailable_cpu_s({1, 1010}, {0.5, 500}, 2), 0);
  EXPECT_EQ(unavailable_cpu_s({1, 0}, {0.5, 0}, 2), 0);
}

}  // namespace
}  // namespace hone::pipeline
