#include "base/error.h"

#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "base/json.h"

namespace hone {
namespace {

TEST(Error, EveryKindHasItsOwnNameAndExitCode) {
  std::set<int> codes;
  std::set<std::string> names;
  std::vector<ErrorKind> kinds = {ErrorKind::kUsage, ErrorKind::kMachineUnfit,
                                  ErrorKind::kInterrupted};
  for (int kind = static_cast<int>(ErrorKind::kInternal);
       kind <= static_cast<int>(ErrorKind::kFarHost); ++kind)
    kinds.push_back(static_cast<ErrorKind>(kind));
  for (const ErrorKind kind : kinds) {
    codes.insert(exit_code(kind));
    names.insert(name(kind));
  }
  EXPECT_EQ(codes.size(), kinds.size());
  EXPECT_EQ(names.size(), kinds.size());
  EXPECT_EQ(exit_code(ErrorKind::kInterrupted), 130);
  for (const int verdict : {0, 3, 4, 6, 7, 8}) EXPECT_FALSE(codes.contains(verdict)) << verdict;
}

TEST(Error, DescribeLeavesOutWhatIsUnknown) {
  EXPECT_EQ(describe(Error{ErrorKind::kIo, "it broke", {}, {}, {}}), "error: it broke\n");
  EXPECT_EQ(describe(Error{ErrorKind::kIo, "it broke", "testing", "mend it", "/tmp/log"}),
            "error: it broke\nwhile: testing\nlog:   /tmp/log\nnext:  mend it\n");
}

TEST(Error, WhileDoingGoesFromOutsideIn) {
  const Error inner = while_doing(Error{}, "starting nginx");
  EXPECT_EQ(while_doing(inner, "training").doing, "training: starting nginx");
}

Result<int> half(int n) {
  if (n % 2 != 0) return fail(ErrorKind::kUsage, "odd");
  return n / 2;
}

Result<int> quarter(int n) {
  HONE_TRY(const int once, half(n));
  HONE_TRY(const int twice, half(once));
  return twice;
}

TEST(Error, TryPassesTheErrorOn) {
  EXPECT_EQ(*quarter(8), 2);
  EXPECT_EQ(quarter(6).error().what, "odd");
}

TEST(Json, BrokenTextIsAnError) {
  const auto json = parse_json("{\"a\":", "the file");
  ASSERT_FALSE(json);
  EXPECT_NE(json.error().what.find("the file"), std::string::npos);
  EXPECT_FALSE(parse_as<int>("\"x\"", "the file"));
  EXPECT_EQ(*parse_as<int>("3", "the file"), 3);
}

TEST(Json, InvalidUtf8IsReplacedAndNotThrown) {
  EXPECT_EQ(dump(Json("\xff")), "\"\xEF\xBF\xBD\"\n");
}

TEST(Json, AbsentValuesAreNull) {
  EXPECT_TRUE(Json(std::optional<int>()).is_null());
  EXPECT_EQ(Json(std::optional<int>(3)), 3);
  EXPECT_FALSE(Json().get<std::optional<int>>().has_value());
  EXPECT_EQ(Json(3).get<std::optional<int>>(), 3);
}

}  // namespace
}  // namespace hone
