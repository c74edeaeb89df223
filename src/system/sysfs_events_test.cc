#include "system/sysfs_events.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "system/temporary_folder.h"

namespace hone::system {
namespace {

class SysfsEvents : public testing::Test {
 protected:
  void write(const std::string& path, const std::string& text) {
    const Path file = folder_.path() / path;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text << "\n";
  }
  TemporaryFolder folder_;
};

// As Linux 6.1 writes them on an Ice Lake server.
TEST_F(SysfsEvents, ReadsIntelsTopDown) {
  write("cpu/type", "4");
  write("cpu/format/event", "config:0-7");
  write("cpu/format/umask", "config:8-15");
  write("cpu/events/slots", "event=0x00,umask=0x4");
  write("cpu/events/topdown-retiring", "event=0x00,umask=0x80");
  const auto slots = cpu_event(folder_.path(), "slots");
  ASSERT_TRUE(slots) << describe(slots.error());
  EXPECT_EQ(slots->type, 4U);
  EXPECT_EQ(slots->config, 0x400U);
  EXPECT_EQ(cpu_event(folder_.path(), "topdown-retiring")->config, 0x8000U);
}

TEST_F(SysfsEvents, TakesTheLargerCoresOfAHybrid) {
  write("cpu_core/type", "4");
  write("cpu_core/format/event", "config:0-7");
  write("cpu_core/format/umask", "config:8-15");
  write("cpu_core/events/slots", "event=0x00,umask=0x4");
  EXPECT_EQ(cpu_event(folder_.path(), "slots")->config, 0x400U);
}

TEST_F(SysfsEvents, SpreadsATermOverItsBits) {
  write("cpu/type", "4");
  write("cpu/format/event", "config:0-7,32-35");  // AMD
  write("cpu/format/umask", "config:8-15");
  write("cpu/format/edge", "config:18");
  write("cpu/events/one", "event=0x1a0,umask=0x03,edge");
  EXPECT_EQ(cpu_event(folder_.path(), "one")->config, 0x1000403a0U);
}

TEST_F(SysfsEvents, WhatIsNotNamedOrNotReadIsAReason) {
  EXPECT_THAT(cpu_event(folder_.path(), "slots").error().what,
              testing::HasSubstr("not available here: the kernel names no event slots"));
  write("cpu/type", "4");
  write("cpu/format/event", "config:0-7");
  write("cpu/format/ldlat", "config1:0-15");
  write("cpu/events/far", "event=0xcd,ldlat=3");
  write("cpu/events/wide", "event=0x100");
  write("cpu/events/odd", "event=maybe");
  for (const char* name : {"far", "wide", "odd", "none"})
    EXPECT_FALSE(cpu_event(folder_.path(), name)) << name;
}

}  // namespace
}  // namespace hone::system
