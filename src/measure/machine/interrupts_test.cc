#include "measure/machine/interrupts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "measure/machine/checks.h"
#include "measure/machine/fake_files.h"

namespace hone::measure {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

// As Linux 6 writes it on a machine whose CPU 1 is offline.
constexpr const char* kInterrupts =
    "            CPU0       CPU2       \n"
    "  26:          7         15  IO-APIC   4-edge      ttyS0\n"
    "  36:          0      69265 PCI-MSIX-0000:00:02.0   1-edge      virtio1-req.0\n"
    "  37:          3          5 PCI-MSIX-0000:00:02.0   2-edge      virtio1-req.0\n"
    "  40:          1          2\n"
    " NMI:          0          0   Non-maskable interrupts\n"
    " RES:      15871       8168   Rescheduling interrupts\n"
    " ERR:          9\n";

TEST(Interrupts, are_added_up_by_source_over_the_cpus_asked_for) {
  FakeFiles files;
  files.put("/proc/interrupts", kInterrupts);
  files.put("/proc/softirqs", "    CPU0  CPU2\n  NET_RX: 11 22\n  BLOCK: 1 0\n");
  const InterruptCounts one = read_interrupts(files, {2});
  EXPECT_THAT(one.devices,
              ElementsAre(Pair("40", 2), Pair("ttyS0", 15), Pair("virtio1-req.0", 69270)));
  EXPECT_THAT(one.kernel, ElementsAre(Pair("NMI", 0), Pair("RES", 8168)));
  EXPECT_THAT(one.softirqs, ElementsAre(Pair("BLOCK", 0), Pair("NET_RX", 22)));
  EXPECT_EQ(read_interrupts(files, {0, 2}).devices.at("ttyS0"), 22u);
  EXPECT_EQ(read_interrupts(files, {1}).devices.at("ttyS0"), 0u);  // offline
}

TEST(Interrupts, that_the_kernel_does_not_show_are_none) {
  FakeFiles files;
  EXPECT_TRUE(read_interrupts(files, {0}).devices.empty());
  files.put("/proc/interrupts", "");
  files.put("/proc/softirqs", "CPUx\n NET_RX: 1\n");
  EXPECT_TRUE(read_interrupts(files, {0}).devices.empty());
  EXPECT_EQ(read_interrupts(files, {0}).softirqs.at("NET_RX"), 0u);
}

TEST(Interrupts, only_what_grew_is_told) {
  EXPECT_THAT(grown({{"a", 3}, {"b", 5}, {"gone", 1}}, {{"a", 4}, {"b", 5}, {"new", 2}}),
              ElementsAre(Pair("a", 1), Pair("new", 2)));
  EXPECT_TRUE(grown({{"a", 4}}, {{"a", 3}}).empty());  // a driver was loaded anew
}

TEST(CheckInterrupts, a_hundred_a_second_are_the_limit) {
  const CpuRoles roles{{2, 3}, {0}};
  EXPECT_FALSE(check_interrupts({}, 0.5, roles));
  EXPECT_FALSE(check_interrupts({{"eth0", 30}, {"nvme0q1", 20}}, 0.5, roles));
  const auto finding = check_interrupts({{"eth0", 31}, {"nvme0q1", 20}}, 0.5, roles);
  ASSERT_TRUE(finding);
  EXPECT_THAT(
      finding->text,
      HasSubstr("CPUs (2-3) serve 102 interrupts of devices a second, most of them eth0's"));
  EXPECT_THAT(finding->advice, HasSubstr("smp_affinity_list"));
}

}  // namespace
}  // namespace hone::measure
