// Against the real valgrind and the dial server of tests/servers; no quiet machine is needed.
#include "pipeline/prove/simulate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "system/cpus.h"
#include "system/own_program.h"
#include "system/temporary_folder.h"

namespace hone::pipeline {
namespace {

using testing::HasSubstr;

class SimulateArm : public testing::Test {
 protected:
  void SetUp() override {
    if (!system_.processes->find_program("valgrind")) GTEST_SKIP() << "valgrind is missing";
    if (!system_.files->exists(dial_)) GTEST_SKIP() << dial_ << " is not built";
  }

  Simulated simulate(const std::vector<std::string>& command, double stop_limit_s = 10) {
    Design design;
    design.subject = "dial";
    Arm& arm = design.base;
    arm.name = "A";
    arm.server.command = command;
    arm.server.ready.http = arm.url = "http://127.0.0.1:{port}/";
    arm.server.stop.limit_s = stop_limit_s;
    design.server_cpus = {system::allowed_cpus().back()};
    design.load_cpus = {system::allowed_cpus().front()};
    design.settings.spinner = false;
    design.with_origin = false;
    auto rig = make_rig(design, folder_.path(), system_);
    EXPECT_TRUE(rig) << describe(rig.error());
    const auto one = simulate_arm(design, arm, shape_, folder_.path(), *rig, system_);
    EXPECT_TRUE(one) << describe(one.error());
    return one.value_or(Simulated{});
  }

  system::System system_ = system::real_system();
  system::Path dial_ = system::own_program().parent_path() / "bin/dial_server";
  system::TemporaryFolder folder_;
  subject::Shape shape_;
};

// A turn is three shifts and three exclusive ors, and whatever the compiler makes of the loop.
TEST_F(SimulateArm, FindsFivePerCentMoreTurns) {
  const Simulated a = simulate({dial_, "{port}", "20000"});
  const Simulated b = simulate({dial_, "{port}", "21000"});
  ASSERT_EQ(a.unavailable, "");
  ASSERT_EQ(b.unavailable, "");
  EXPECT_GT(a.requests, 20);
  EXPECT_GT(a.per_request.instructions, 6 * 20'000);
  EXPECT_NEAR(b.per_request.instructions / a.per_request.instructions, 1.05, 0.003);
  EXPECT_LT(a.per_request.ll_misses, 100);  // it has no memory to speak of
}

TEST_F(SimulateArm, AServerThatHasToBeKilledIsNotCounted) {
  const Simulated a =
      simulate({"sh", "-c", "trap '' TERM; exec '" + dial_.string() + "' {port} 100"}, 0.1);
  EXPECT_THAT(a.unavailable, testing::AllOf(HasSubstr("not counted: "), HasSubstr("did not end")));
  EXPECT_EQ(a.per_request.instructions, 0);
}

}  // namespace
}  // namespace hone::pipeline
