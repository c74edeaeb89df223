#include "system/cpus.h"

#include <gmock/gmock.h>
#include <sched.h>

#include <thread>

namespace hone::system {
namespace {

using testing::ElementsAre;

TEST(Cpus, ListsAreReadAndWritten) {
  EXPECT_THAT(*parse_cpu_list("0-3,6"), ElementsAre(0, 1, 2, 3, 6));
  EXPECT_THAT(*parse_cpu_list("6, 1,1"), ElementsAre(1, 6));
  EXPECT_EQ(format_cpu_list({0, 1, 2, 3, 6}), "0-3,6");
  EXPECT_EQ(format_cpu_list({5}), "5");
  EXPECT_EQ(format_cpu_list({}), "");
}

TEST(Cpus, WrongListsAreUsageErrors) {
  for (const char* list : {"", "a", "3-1", "1-2-3", "-1", "0,", "8192", "1.5", "0--2"}) {
    const auto cpus = parse_cpu_list(list);
    ASSERT_FALSE(cpus) << list;
    EXPECT_EQ(cpus.error().kind, ErrorKind::kUsage);
  }
}

TEST(Cpus, AThreadIsPinnedAndTheProcessIsNot) {
  const std::vector<int> before = allowed_cpus();
  ASSERT_FALSE(before.empty());
  int ran_on = -1;
  std::vector<int> seen_by_thread;
  std::thread([&] {
    EXPECT_TRUE(pin_this_thread({before.back()}));
    ran_on = ::sched_getcpu();
    seen_by_thread = allowed_cpus();
  }).join();
  EXPECT_EQ(ran_on, before.back());
  EXPECT_EQ(seen_by_thread, before);
  EXPECT_EQ(allowed_cpus(), before);
}

TEST(Cpus, ACpuThatIsNotThereIsNamed) {
  const Status pinned = pin_this_thread({8000});
  ASSERT_FALSE(pinned);
  EXPECT_THAT(pinned.error().what, testing::HasSubstr("CPU 8000"));
  EXPECT_FALSE(pin_this_thread({-1}));
  EXPECT_TRUE(pin_this_thread({}));
}

}  // namespace
}  // namespace hone::system
