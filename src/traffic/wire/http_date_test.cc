#include "traffic/wire/http_date.h"

#include <gtest/gtest.h>

namespace hone::traffic::wire {
namespace {

std::string date_of(long long seconds) {
  return http_date(std::chrono::sys_seconds(std::chrono::seconds(seconds)));
}

TEST(HttpDate, IsAsTheStandardSays) {
  EXPECT_EQ(date_of(784'111'777), "Sun, 06 Nov 1994 08:49:37 GMT");  // RFC 9110's own example
  EXPECT_EQ(date_of(0), "Thu, 01 Jan 1970 00:00:00 GMT");
  EXPECT_EQ(date_of(1'709'251'199), "Thu, 29 Feb 2024 23:59:59 GMT");
}

}  // namespace
}  // namespace hone::traffic::wire
