#include "measure/counters/energy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "measure/machine/fake_files.h"

namespace hone::measure {
namespace {

using testing::HasSubstr;

class Energy : public testing::Test {
 protected:
  void zone(const std::string& id, const std::string& name, const std::string& used) {
    const std::string folder = "/sys/class/powercap/" + id + "/";
    files_.put(folder + "name", name + "\n");
    files_.put(folder + "energy_uj", used + "\n");
    files_.put(folder + "max_energy_range_uj", "262143328850\n");
  }
  FakeFiles files_;
};

TEST_F(Energy, is_that_of_the_packages_each_once) {
  zone("intel-rapl:0", "package-0", "1000");
  zone("intel-rapl:0:0", "core", "700");
  zone("intel-rapl:1", "package-1", "2000");
  zone("intel-rapl:2", "psys", "9000");
  zone("intel-rapl-mmio:0", "package-0", "1000");
  files_.put("/sys/class/powercap/intel-rapl/enabled", "1\n");
  const auto packages = read_energy(files_);
  ASSERT_TRUE(packages) << describe(packages.error());
  ASSERT_EQ(packages->size(), 2u);
  EXPECT_EQ((*packages)[0].zone, "intel-rapl:0");
  EXPECT_EQ((*packages)[1].used_uj, 2000u);
  EXPECT_EQ((*packages)[1].range_uj, 262143328850u);
}

TEST_F(Energy, without_a_counter_there_is_a_reason) {
  const auto packages = read_energy(files_);
  ASSERT_FALSE(packages);
  EXPECT_EQ(packages.error().kind, ErrorKind::kNotFound);
  EXPECT_THAT(packages.error().what, HasSubstr("not available here: "));
  zone("intel-rapl:0", "package-0", "many");
  EXPECT_THAT(read_energy(files_).error().what, HasSubstr("energy_uj does not hold a number"));
}

TEST_F(Energy, that_only_root_may_read_says_so) {
  class Guarded : public FakeFiles {
   public:
    Result<std::string> read(const system::Path& path) const override {
      if (path.filename() == "energy_uj") return fail(ErrorKind::kPermission, "cannot read");
      return FakeFiles::read(path);
    }
  };
  Guarded files;
  files.put("/sys/class/powercap/intel-rapl:0/name", "package-0\n");
  files.put("/sys/class/powercap/intel-rapl:0/energy_uj", "1\n");
  const auto packages = read_energy(files);
  ASSERT_FALSE(packages);
  EXPECT_EQ(packages.error().kind, ErrorKind::kPermission);
  EXPECT_THAT(packages.error().next, HasSubstr("/sys/class/powercap/intel-rapl:0/energy_uj"));
}

TEST(MicrojoulesBetween, adds_packages_up_and_survives_a_wrap) {
  EXPECT_EQ(
      microjoules_between({{"a", 100, 1000}, {"b", 5, 1000}}, {{"a", 400, 1000}, {"b", 25, 1000}}),
      320);
  EXPECT_EQ(microjoules_between({{"a", 900, 1000}}, {{"a", 50, 1000}}), 150);
  EXPECT_EQ(microjoules_between({}, {{"a", 50, 1000}}), 0);
}

TEST(MicrojoulesAboveIdle, takes_away_the_power_of_an_idle_stretch_of_the_same_length) {
  // 20 W idle over 2 s, 50 W loaded over 4 s: 30 W x 4 s.
  EXPECT_DOUBLE_EQ(microjoules_above_idle({4, 200e6}, {2, 40e6}), 120e6);
  EXPECT_EQ(microjoules_above_idle({4, 70e6}, {2, 40e6}), 0);
  EXPECT_EQ(microjoules_above_idle({4, 70e6}, {0, 0}), 0);
}

}  // namespace
}  // namespace hone::measure
