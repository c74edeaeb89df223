#include "base/units.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace hone {
namespace {

TEST(Units, Duration) {
  EXPECT_EQ(format_duration(0), "0 s");
  EXPECT_EQ(format_duration(30e-9), "30 ns");
  EXPECT_EQ(format_duration(1.5e-6), "1.5 us");
  EXPECT_EQ(format_duration(850e-6), "850 us");
  EXPECT_EQ(format_duration(12e-3), "12 ms");
  EXPECT_EQ(format_duration(1.23), "1.2 s");
  EXPECT_EQ(format_duration(30), "30 s");
  EXPECT_EQ(format_duration(245), "4 min 05 s");
  EXPECT_EQ(format_duration(3900), "1 h 05 min");
  EXPECT_EQ(format_duration(-1.5), "-1.5 s");
  EXPECT_EQ(format_duration(std::nan("")), "unknown");
}

TEST(Units, DurationChoosesItsUnitAfterRounding) {
  EXPECT_EQ(format_duration(0.99999e-6), "1.0 us");
  EXPECT_EQ(format_duration(0.9999), "1.0 s");
  EXPECT_EQ(format_duration(9.97), "10 s");
  EXPECT_EQ(format_duration(59.7), "1 min 00 s");
  EXPECT_EQ(format_duration(3599.7), "1 h 00 min");
}

TEST(Units, Bytes) {
  EXPECT_EQ(format_bytes(0), "0 B");
  EXPECT_EQ(format_bytes(1023), "1023 B");
  EXPECT_EQ(format_bytes(4096), "4.0 KiB");
  EXPECT_EQ(format_bytes(1024.0 * 1024 - 1), "1.0 MiB");
  EXPECT_EQ(format_bytes(1.2 * 1024 * 1024 * 1024), "1.2 GiB");
  EXPECT_EQ(format_bytes(1e30), "867361737988.4 EiB");
}

TEST(Units, Percent) {
  EXPECT_EQ(format_percent(0.313), "31.3 %");
  EXPECT_EQ(format_percent(0.31349, 2), "31.35 %");
  EXPECT_EQ(format_signed_percent(-0.313), "-31.3 %");
  EXPECT_EQ(format_signed_percent(0.02), "+2.0 %");
  EXPECT_EQ(format_signed_percent(-0.0001), "0.0 %");  // never "-0.0 %"
  EXPECT_EQ(format_percent(std::numeric_limits<double>::infinity()), "unknown");
}

TEST(Units, Count) {
  EXPECT_EQ(format_count(0), "0");
  EXPECT_EQ(format_count(999), "999");
  EXPECT_EQ(format_count(1000), "1,000");
  EXPECT_EQ(format_count(1234567), "1,234,567");
}

TEST(Units, ParseDuration) {
  EXPECT_DOUBLE_EQ(*parse_duration_s("500ms"), 0.5);
  EXPECT_DOUBLE_EQ(*parse_duration_s("2s"), 2);
  EXPECT_DOUBLE_EQ(*parse_duration_s("1.5m"), 90);
  EXPECT_DOUBLE_EQ(*parse_duration_s("1 min"), 60);
  EXPECT_DOUBLE_EQ(*parse_duration_s("2h"), 7200);
  EXPECT_DOUBLE_EQ(*parse_duration_s("250us"), 250e-6);
  EXPECT_DOUBLE_EQ(*parse_duration_s("7"), 7);
  for (const char* text : {"", "s", "-1s", "1 day", "1ss", "nan", "1e999s"}) {
    const auto parsed = parse_duration_s(text);
    ASSERT_FALSE(parsed) << text;
    EXPECT_EQ(parsed.error().kind, ErrorKind::kUsage);
  }
}

}  // namespace
}  // namespace hone
