#include "pipeline/train/judge_leg.h"

#include <gmock/gmock.h>

namespace hone::pipeline {
namespace {

using testing::HasSubstr;
using traffic::load::SliceResult;

SliceResult answered(std::uint64_t ok) {
  SliceResult result;
  result.scheduled = result.sent = result.ok = ok;
  result.status["200"] = ok;
  return result;
}

TEST(JudgeAnswersTest, ExpectedAnswersPass) {
  EXPECT_TRUE(judge_answers(answered(1000)));
  SliceResult result = answered(1000);
  result.sent += 2;
  result.unfinished = 2;  // the load ended before they did
  EXPECT_TRUE(judge_answers(result));
}

TEST(JudgeAnswersTest, NamesCountsAndTheMostFrequentStatus) {
  SliceResult result = answered(40000);
  result.sent += 1207;
  result.bad_status = 1204;
  result.reset = 3;
  result.status["503"] = 1200;
  result.status["404"] = 4;
  const Status status = judge_answers(result);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().kind, ErrorKind::kLegFailed);
  EXPECT_EQ(status.error().what,
            "of 41,207 requests, not answered as expected: 1,204 with a bad status (most often "
            "503), 3 reset");
}

TEST(JudgeAnswersTest, EveryKindOfFaultFails) {
  for (auto member : {&SliceResult::bad_status, &SliceResult::reset, &SliceResult::timeout,
                      &SliceResult::expired, &SliceResult::connection_error}) {
    SliceResult result = answered(1000);
    result.*member = 1;
    EXPECT_FALSE(judge_answers(result));
  }
}

TEST(JudgeAnswersTest, SilenceFails) {
  const Status status = judge_answers(SliceResult{});
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().kind, ErrorKind::kLegFailed);
}

TEST(ProfileNameTest, AllForms) {
  const auto plain = parse_profile_name("12-3456_0.profraw");
  EXPECT_EQ(plain.pid, 12);
  EXPECT_FALSE(plain.start_up);
  EXPECT_EQ(parse_profile_name("12.3-3456_0.profraw").pid, 12);
  const auto startup = parse_profile_name("startup-7-3456_0.profraw");
  EXPECT_EQ(startup.pid, 7);
  EXPECT_TRUE(startup.start_up);
  EXPECT_EQ(parse_profile_name("exit-9-3456_0.profraw").pid, 9);
  EXPECT_EQ(parse_profile_name("default.profraw").pid, 0);
  EXPECT_EQ(parse_profile_name("-12-1.profraw").pid, 0);
}

TEST(RefusalTest, OnlyOtherProgramsWithoutProfileAreHarmless) {
  const std::string none = ": no loaded module can be served by the profile library: none carries";
  EXPECT_TRUE(is_harmless_refusal("/usr/bin/dash" + none, "/store/nghttpx"));
  EXPECT_FALSE(is_harmless_refusal("/other/way/nghttpx" + none, "/store/nghttpx"));
  EXPECT_FALSE(is_harmless_refusal(
      "/store/nghttpx: /store/lib.so: instrumented, but stripped of its symbol table",
      "/store/nghttpx"));
}

class JudgeProfilesTest : public testing::Test {
 protected:
  JudgeProfilesTest() {
    folder_.program = "/store/server";
    folder_.ready = {10, 11};
    folder_.served = {10, 11};
    for (const char* name :
         {"startup-10-1_0.profraw", "10-1_0.profraw", "10.2-1_0.profraw", "11-1_0.profraw"}) {
      folder_.files.push_back(parse_profile_name(name));
    }
  }
  std::string fault(ErrorKind kind) {
    const Status status = judge_profiles(folder_);
    if (status) return "";
    EXPECT_EQ(status.error().kind, kind);
    return status.error().what;
  }
  ProfileFolder folder_;
};

TEST_F(JudgeProfilesTest, WholeFolderPasses) { EXPECT_TRUE(judge_profiles(folder_)); }

TEST_F(JudgeProfilesTest, AProcessWithoutProfileIsNamed) {
  folder_.served.push_back(12);
  EXPECT_THAT(fault(ErrorKind::kLegFailed), HasSubstr("process 12"));
}

TEST_F(JudgeProfilesTest, AStartUpProfileAloneIsNotOfTheLoad) {
  folder_.files.push_back(parse_profile_name("startup-12-1_0.profraw"));
  folder_.ready.push_back(12);
  EXPECT_TRUE(judge_profiles(folder_));  // ended before the load: a parent in the background
  folder_.served.push_back(12);
  EXPECT_THAT(fault(ErrorKind::kLegFailed), HasSubstr("process 12"));
}

TEST_F(JudgeProfilesTest, AChildThatVanishedIsNamed) {
  folder_.ready.push_back(13);
  EXPECT_THAT(fault(ErrorKind::kLegFailed), HasSubstr("process 13"));
}

TEST_F(JudgeProfilesTest, BrokenFiles) {
  folder_.files[1].problem = "/p/10-1_0.profraw is empty";
  EXPECT_THAT(fault(ErrorKind::kProfile), HasSubstr("is empty"));
}

TEST_F(JudgeProfilesTest, RefusalsBecomeTheReason) {
  folder_.refusals = {"/bin/sh: no loaded module can be served by the profile library: none"};
  EXPECT_TRUE(judge_profiles(folder_));
  folder_.ready.clear();
  EXPECT_THAT(fault(ErrorKind::kLegFailed), HasSubstr("/bin/sh"));
  folder_.refusals.push_back("/store/server: instrumented, but stripped");
  EXPECT_THAT(fault(ErrorKind::kLegFailed), HasSubstr("stripped"));
  folder_.refusals.clear();
  EXPECT_THAT(fault(ErrorKind::kLegFailed), HasSubstr("loaded the profile library"));
}

}  // namespace
}  // namespace hone::pipeline
