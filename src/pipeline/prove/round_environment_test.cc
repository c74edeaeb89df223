#include "pipeline/prove/round_environment.h"

#include <gtest/gtest.h>

#include "system/cpus.h"
#include "system/process_tree.h"

namespace hone::pipeline {
namespace {

// One CPU over ten seconds: six of the arms, 3.9 of the spinner, 50 ms of somebody else.
class RoundEnvironment : public testing::Test {
 protected:
  RoundEnvironment() {
    before_.machine = {100, 50, 1, 0};
    half_.machine = {105, 54.975, 1, 0};
    after_.machine = {110, 59.95, 1.03, 0};
    before_.spun = {1'000'000'000, 1'000'000};
    half_.spun = {3'000'000'000, 3'000'000};
    after_.spun = {4'900'000'000, 4'900'000};
  }
  measure::Environment seen() { return environment_between(before_, half_, after_, 1, 6.0, 0.02); }

  CpuReading before_, half_, after_;
};

TEST_F(RoundEnvironment, WhatNeitherArmsNorSpinnerUsedIsForeign) {
  // 50 ms, less the two ticks that no reading can tell from nothing.
  EXPECT_NEAR(seen().foreign_cpu, 0.003, 1e-9);
  EXPECT_NEAR(seen().steal, 0.003, 1e-9);
  EXPECT_NEAR(seen().run_delay, 0.002, 1e-9);
}

TEST_F(RoundEnvironment, ASlowerLoopInTheSecondHalfIsDrift) {
  ASSERT_TRUE(seen().spin_drift);
  EXPECT_NEAR(*seen().spin_drift, 0, 1e-9);
  after_.spun.turns -= 57'000;  // of 1.9 million
  EXPECT_NEAR(*seen().spin_drift, -0.03, 1e-9);
}

TEST_F(RoundEnvironment, ASpinnerThatHardlyRanSaysNothing) {
  half_.spun = {1'050'000'000, 1'050'000};
  EXPECT_FALSE(seen().spin_drift);
  before_.spun = half_.spun = after_.spun = {};
  EXPECT_FALSE(seen().spin_drift);
}

TEST(ReadCpus, InterruptsThatBringTheLoadAreNoStrangers) {
  const system::System system = system::real_system();
  Design design;
  design.server_cpus = {system::allowed_cpus().front()};
  const auto near = read_cpus(system, design, nullptr);
  ASSERT_TRUE(near);
  const system::CpuTimes times = *system::cpu_times(design.server_cpus.front());
  const double interrupts_s = times.irq + times.softirq;
  if (interrupts_s < 0.05) GTEST_SKIP() << "no time in interrupts is told here";
  design.settings.hosts.load.via = {"ssh", "load1"};
  const auto far = read_cpus(system, design, nullptr);
  ASSERT_TRUE(far);
  const double between_s = far->machine.at_s - near->machine.at_s;
  EXPECT_LT(far->machine.busy_s, near->machine.busy_s + between_s - interrupts_s + 0.02);
}

}  // namespace
}  // namespace hone::pipeline
