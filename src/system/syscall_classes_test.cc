#include "system/syscall_classes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/syscall.h>

#include <set>

#include "base/text.h"

namespace hone::system {
namespace {

const std::vector<PerfEvent> kNamedClasses = {
    PerfEvent::kSyscallsReceive, PerfEvent::kSyscallsSend,  PerfEvent::kSyscallsWait,
    PerfEvent::kSyscallsSockets, PerfEvent::kSyscallsFiles, PerfEvent::kSyscallsMemory,
    PerfEvent::kSyscallsFutex,   PerfEvent::kSyscallsTime};

// "id==0||id==19" -> {"0", "19"}
std::vector<std::string> numbers_of(const std::string& filter, const std::string& is,
                                    const std::string& joint) {
  return split(replace_all(replace_all(filter, joint, ","), "id" + is, ""), ',');
}

TEST(SyscallClasses, EveryNumberIsInOneClassAndOtherIsTheRest) {
  std::multiset<std::string> named;
  for (const PerfEvent event : kNamedClasses) {
    for (const std::string& number : numbers_of(sys_enter_filter(event).value(), "==", "||"))
      named.insert(number);
  }
  const std::set<std::string> once(named.begin(), named.end());
  EXPECT_EQ(named.size(), once.size());
  const auto left_out = numbers_of(sys_enter_filter(PerfEvent::kSyscallsOther).value(), "!=", "&&");
  EXPECT_EQ(std::set<std::string>(left_out.begin(), left_out.end()), once);
  EXPECT_EQ(sys_enter_filter(PerfEvent::kSyscalls), "");
  EXPECT_EQ(sys_enter_filter(PerfEvent::kPageFaults), std::nullopt);
}

// The kernel takes a page of filter at most.
TEST(SyscallClasses, FiltersFitIntoAPage) {
  EXPECT_LT(sys_enter_filter(PerfEvent::kSyscallsOther)->size(), 4096U);
}

}  // namespace
}  // namespace hone::system
