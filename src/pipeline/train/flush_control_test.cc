#include "pipeline/train/flush_control.h"

#include <gmock/gmock.h>

#include "flush/flush.h"
#include "system/fake_clock.h"
#include "system/system.h"
#include "system/temporary_folder.h"

namespace hone::pipeline {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::UnorderedElementsAre;

class FlushControlTest : public testing::Test {
 protected:
  void put(const std::string& name, const std::string& text = "") {
    ASSERT_TRUE(files().write(folder_ / name, text));
  }
  system::Files& files() { return *system_.files; }
  FlushControl control() {
    return FlushControl(
        folder_.path(), system_.files.get(), &clock_, [this] { return processes_; },
        [this](const std::vector<pid_t>& pids, int number) {
          sent_.push_back(number);
          on_signal_(pids, number);
          return Status{};
        });
  }

  system::TemporaryFolder folder_;
  system::System system_ = system::real_system();
  system::FakeClock clock_;
  std::vector<pid_t> processes_ = {10, 11};
  std::vector<int> sent_;
  std::function<void(const std::vector<pid_t>&, int)> on_signal_ = [](const auto&, int) {};
};

TEST_F(FlushControlTest, TellsReadyRefusedAndSilentApart) {
  processes_ = {10, 11, 12};
  put("10.ready", "1 modules: /s\n");
  put("11.refused", "/bin/sh: no loaded module\n");
  const auto served = control().wait_until_served();
  ASSERT_TRUE(served);
  EXPECT_THAT(served->ready, ElementsAre(10));
  EXPECT_THAT(served->silent, ElementsAre(12));
  EXPECT_GT(clock_.sleeps(), 0);  // silence was given time
  processes_ = {10, 11};
  const int before = clock_.sleeps();
  EXPECT_TRUE(control().wait_until_served());
  EXPECT_EQ(clock_.sleeps(), before);  // everybody has spoken
}

TEST_F(FlushControlTest, WaitsForEveryAcknowledgement) {
  on_signal_ = [this](const std::vector<pid_t>&, int number) {
    EXPECT_EQ(number, HONE_FLUSH_RESET_SIGNAL);
    put("10.reset.1", "ok 1 modules\n");
    put("11.reset.1", "ok 1 modules\n");
  };
  EXPECT_TRUE(control().reset({10, 11}));
  EXPECT_EQ(sent_.size(), 1U);
}

TEST_F(FlushControlTest, SilenceEndsInANamedError) {
  on_signal_ = [this](const auto&, int) { put("10.written.1", "ok 1 modules\n"); };
  const auto begin = clock_.now();
  const Status status = control().write({10, 11});
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().kind, ErrorKind::kLegFailed);
  EXPECT_THAT(status.error().what, HasSubstr("process 11 did not write its profile within 10 s"));
  EXPECT_NEAR(system::to_seconds(clock_.now() - begin), 10, 0.1);
}

TEST_F(FlushControlTest, AProcessThatEndsIsNotWaitedFor) {
  on_signal_ = [this](const auto&, int) {
    put("10.written.1", "ok 1 modules\n");
    processes_ = {10};
  };
  EXPECT_TRUE(control().write({10, 11}));
}

TEST_F(FlushControlTest, FailuresCarryTheReason) {
  put("10.refused", "/s: /s/lib.so: the linker dropped functions\n");
  on_signal_ = [this](const auto&, int) { put("10.written.1", "failed: 1 of 2 modules\n"); };
  const Status status = control().write({10});
  ASSERT_FALSE(status);
  EXPECT_THAT(status.error().what, HasSubstr("failed: 1 of 2 modules"));
  EXPECT_THAT(status.error().what, HasSubstr("the linker dropped functions"));
}

TEST_F(FlushControlTest, ListsWhatIsThere) {
  put("10-1_0.profraw");
  put("startup-10-1_0.profraw");
  put("10.ready", "x");
  put("9.ready", "x");
  put("10.refused", "a\nb\n");
  put("11.refused", "b\nc\n");
  const FlushControl flush = control();
  EXPECT_THAT(flush.profiles(), UnorderedElementsAre("10-1_0.profraw", "startup-10-1_0.profraw"));
  EXPECT_THAT(flush.ready(), UnorderedElementsAre(9, 10));
  EXPECT_THAT(flush.refusals(), ElementsAre("a", "b", "c"));
}

}  // namespace
}  // namespace hone::pipeline
