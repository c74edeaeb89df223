#include "pipeline/build/profile_use.h"

#include <gtest/gtest.h>

namespace hone::pipeline {
namespace {

// As clang 22.1.8 printed them.
constexpr char kLog[] =
    "[1/2] Building a.o\n"
    "warning: a.cc: function control flow change detected (hash mismatch) _Z1fi Hash = 382993475 "
    "up "
    "to 3 count discarded [-Wbackend-plugin]\n"
    "warning: a.cc: no profile data available for function _Z4newfi Hash = 382993475 up to 0 count "
    "discarded [-Wbackend-plugin]\n"
    "warning: a.cc: function control flow change detected (hash mismatch) main Hash = 9423 up to "
    "5 count discarded [-Wbackend-plugin]\n"
    "a.cc:1:1: warning: unused variable [-Wunused-variable]\n";

TEST(ProfileUse, AddsUpWhatTheCompilerDiscarded) {
  const ProfileUse use = profile_use_in(kLog);
  EXPECT_EQ(use.functions_mismatched, 2U);
  EXPECT_EQ(use.functions_missing, 1U);
  EXPECT_EQ(use.counts_discarded, 8U);
}

TEST(ProfileUse, AnInlineFunctionCountsOnceHoweverManyFilesCompileIt) {
  const ProfileUse use = profile_use_in(
      std::string(kLog) +
      "warning: b.cc: function control flow change detected (hash mismatch) _Z1fi Hash = 382993475 "
      "up to 3 count discarded [-Wbackend-plugin]\n");
  EXPECT_EQ(use.functions_mismatched, 2U);
  EXPECT_EQ(use.counts_discarded, 8U);
}

TEST(ProfileUse, IsNothingForACleanLog) {
  const ProfileUse use = profile_use_in("all went well");
  EXPECT_EQ(use.functions_mismatched + use.functions_missing + use.counts_discarded, 0U);
}

}  // namespace
}  // namespace hone::pipeline
