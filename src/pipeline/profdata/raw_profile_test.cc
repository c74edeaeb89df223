#include "pipeline/profdata/raw_profile.h"

#include <gmock/gmock.h>

#include <cstring>
#include <vector>

namespace hone::pipeline {
namespace {

using testing::HasSubstr;

// The head of a file that clang 22 wrote, and a body as long as the head says.
std::string make_profile() {
  const std::vector<std::uint64_t> fields = {0xff6c70726f667281,  // magic
                                             0x010000000000000a,  // version 10, IR instrumentation
                                             32,                  // binary ids
                                             9,                   // functions
                                             0,
                                             13,  // counters
                                             0,
                                             0,
                                             0,
                                             81,  // names
                                             0xffffffff,
                                             0,
                                             0x1234,
                                             0,
                                             0,
                                             2};
  std::string bytes(reinterpret_cast<const char*>(fields.data()), 8 * fields.size());
  return bytes + std::string(32 + 9 * 64 + 13 * 8 + 81 + 7, '\0');
}

void put(std::string* bytes, std::size_t field, std::uint64_t value) {
  std::memcpy(bytes->data() + 8 * field, &value, sizeof(value));
}

std::string problem(const std::string& bytes) {
  const auto profile = read_raw_profile(bytes, "a.profraw");
  if (profile) return "";
  EXPECT_EQ(profile.error().kind, ErrorKind::kProfile);
  EXPECT_THAT(profile.error().what, HasSubstr("a.profraw"));
  return profile.error().what;
}

TEST(RawProfileTest, ReadsTheHead) {
  const auto profile = read_raw_profile(make_profile(), "a.profraw");
  ASSERT_TRUE(profile) << profile.error().what;
  EXPECT_EQ(profile->version, 10U);
  EXPECT_TRUE(profile->ir);
  EXPECT_FALSE(profile->context_sensitive);
  EXPECT_EQ(profile->functions, 9U);
  EXPECT_EQ(profile->counters, 13U);
}

TEST(RawProfileTest, EmptyAndForeignFiles) {
  EXPECT_THAT(problem(""), HasSubstr("is empty"));
  EXPECT_THAT(problem("abc"), HasSubstr("3 bytes"));
  EXPECT_THAT(problem(std::string(200, 'x')), HasSubstr("no raw profile"));
  std::string bytes = make_profile();
  put(&bytes, 0, 0xff6c70726f665281);
  EXPECT_THAT(problem(bytes), HasSubstr("32-bit"));
  put(&bytes, 0, 0x8172666f72706cff);
  EXPECT_THAT(problem(bytes), HasSubstr("byte order"));
}

TEST(RawProfileTest, EveryTruncationIsFound) {
  const std::string whole = make_profile();
  const std::size_t need = whole.size() - 7;  // the padding at the end is no section
  for (std::size_t size = 0; size < need; ++size) {
    EXPECT_NE(problem(whole.substr(0, size)), "") << size;
  }
  EXPECT_EQ(problem(whole.substr(0, need)), "");
}

TEST(RawProfileTest, SizesThatOverflow) {
  for (const std::size_t field : {2, 3, 4, 5, 6, 7, 8, 9}) {
    for (const std::uint64_t size : {~0ULL, 1ULL << 58, 1ULL << 63}) {
      std::string bytes = make_profile();
      put(&bytes, field, size);
      EXPECT_THAT(problem(bytes), HasSubstr("cut short")) << field;
    }
  }
}

TEST(RawProfileTest, OtherVersionsAreLeftToTheTool) {
  std::string bytes = make_profile();
  put(&bytes, 1, 0x0300000000000008);
  const auto profile = read_raw_profile(bytes.substr(0, 88), "a.profraw");
  ASSERT_TRUE(profile);
  EXPECT_EQ(profile->version, 8U);
  EXPECT_TRUE(profile->context_sensitive);
}

}  // namespace
}  // namespace hone::pipeline
