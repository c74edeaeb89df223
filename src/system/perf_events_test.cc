#include "system/perf_events.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "system/real.h"
#include "system/shell_fixture.h"
#include "system/waiting.h"

namespace hone::system {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::size_t kPage = 4096;
constexpr timespec kNoTime{0, 0};

// Touches this many fresh pages: each is one fault, or fewer with huge pages.
void touch_pages(std::size_t pages) {
  void* memory =
      ::mmap(nullptr, pages * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  ::madvise(memory, pages * kPage, MADV_NOHUGEPAGE);
  for (std::size_t i = 0; i < pages; ++i) static_cast<volatile char*>(memory)[i * kPage] = 1;
  ::munmap(memory, pages * kPage);
}

class PerfEventsTest : public testing::Test {
 protected:
  // Skips where the kernel refuses everybody but root.
  std::unique_ptr<EventGroup> open(const std::vector<pid_t>& threads,
                                   const std::vector<PerfEvent>& events) {
    auto group = events_->open(threads, events);
    if (!group) why_not_ = group.error().what;
    return group ? *std::move(group) : nullptr;
  }

  std::unique_ptr<PerfEvents> events_ = real_perf_events();
  std::string why_not_;
};

TEST_F(PerfEventsTest, CountsAThreadThatIsThereAndThoseItStarts) {
  std::atomic<pid_t> tid{0};
  std::atomic<int> step{0};
  std::thread subject([&] {
    tid = ::gettid();
    step.wait(0);
    touch_pages(300);
    std::thread(touch_pages, 500).join();
    step = 2;
    step.notify_all();
  });
  EXPECT_TRUE(eventually([&] { return tid != 0; }));
  const auto group =
      open({tid}, {PerfEvent::kTaskClock, PerfEvent::kPageFaults, PerfEvent::kContextSwitches});
  const auto before = group ? group->read() : Result<EventReading>();
  step = 1;
  step.notify_all();
  step.wait(1);
  subject.join();
  if (!group) GTEST_SKIP() << why_not_;
  ASSERT_TRUE(before) << describe(before.error());
  const auto after = group->read();
  ASSERT_TRUE(after) << describe(after.error());
  EXPECT_THAT(group->unavailable(), testing::Each(IsEmpty()));
  const std::uint64_t faults = after->counts[1] - before->counts[1];
  EXPECT_GE(faults, 800U);
  // Stacks and tables of the second thread, and a sanitizer's shadow of all; nothing of this one.
  EXPECT_LT(faults, 5000U);
  EXPECT_GT(after->counts[0], before->counts[0]);
  EXPECT_GT(after->counts[2], before->counts[2]);
  EXPECT_GT(after->running_ns, before->running_ns);
  EXPECT_EQ(after->running_ns, after->enabled_ns);  // software events are never turned away
}

TEST_F(PerfEventsTest, HardwareEventsAreCountedOrLeftOutWithAReason) {
  const auto group =
      events_->open({::gettid()}, {PerfEvent::kInstructionsUser, PerfEvent::kPageFaults});
  if (!group) {
    ASSERT_EQ(group.error().kind, ErrorKind::kPermission);
    EXPECT_THAT(group.error().what, HasSubstr("perf_event_paranoid"));
    return;
  }
  touch_pages(100);
  const auto reading = (*group)->read();
  ASSERT_TRUE(reading);
  ASSERT_EQ(reading->counts.size(), 2U);
  EXPECT_GE(reading->counts[1], 100U);  // in its place, whether or not the first is counted
  if ((*group)->unavailable()[0].empty())
    EXPECT_GT(reading->counts[0], 1000U);
  else
    EXPECT_THAT((*group)->unavailable()[0], HasSubstr("not available here: "));
}

TEST_F(PerfEventsTest, ThreadsThatHaveEndedAreAnError) {
  pid_t tid = 0;
  std::thread([&] { tid = ::gettid(); }).join();
  const auto group = events_->open({tid}, {PerfEvent::kPageFaults});
  ASSERT_FALSE(group);
}

TEST_F(PerfEventsTest, SystemCallsAreToldApartByClassInChildrenAsWell) {
  const auto group = open({::gettid()}, {PerfEvent::kSyscalls, PerfEvent::kSyscallsWait,
                                         PerfEvent::kSyscallsSend, PerfEvent::kSyscallsOther});
  if (!group) GTEST_SKIP() << why_not_;
  const auto before = group->read();
  const auto calls = [] {
    for (int i = 0; i < 100; ++i) ::syscall(SYS_getppid);
    for (int i = 0; i < 20; ++i) ::ppoll(nullptr, 0, &kNoTime, nullptr);
  };
  calls();
  const pid_t child = ::fork();
  if (child == 0) {
    calls();
    ::_exit(0);
  }
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  const auto after = group->read();
  ASSERT_TRUE(before && after);
  const auto counted = [&](std::size_t i) { return after->counts[i] - before->counts[i]; };
  EXPECT_EQ(counted(1), 40U);
  EXPECT_EQ(counted(2), 0U);
  EXPECT_GE(counted(3), 200U);
  EXPECT_LT(counted(3), 240U);  // fork, wait, exit
  EXPECT_GE(counted(0), counted(1) + counted(3));
}

}  // namespace
}  // namespace hone::system
