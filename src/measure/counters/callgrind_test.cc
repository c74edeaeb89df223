#include "measure/counters/callgrind.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "measure/machine/fake_files.h"

namespace hone::measure {
namespace {

using testing::Contains;
using testing::HasSubstr;

// Shortened from what valgrind 3.19 wrote.
std::string output_of(const std::string& totals) {
  return "# callgrind format\nversion: 1\ncreator: callgrind-3.19.0\npid: 11193\ncmd:  ./f\n"
         "part: 1\n\ndesc: I1 cache: 32768 B, 64 B, 8-way associative\n\npositions: line\n"
         "events: Ir Dr Dw I1mr D1mr D1mw ILmr DLmr DLmw\nsummary: 1 1 1 1 1 1 1 1 1\n\n"
         "ob=(1) /f\nfl=(1) ???\nfn=(1) main\n0 6124146\n\n" +
         totals;
}

TEST(Callgrind, AddsUpTheProcessesOfATree) {
  FakeFiles files;
  files.put("/out/callgrind.out.7",
            output_of("totals: 6124146 1027450 1011809 1014 939 564 1004 747 535\n"));
  files.put("/out/callgrind.out.8", output_of("totals: 1000 20 10 5\n"));
  files.put("/out/output.log", "not one of them");
  const auto run = read_callgrind(files, "/out");
  ASSERT_TRUE(run) << describe(run.error());
  EXPECT_EQ(run->processes, 2U);
  EXPECT_EQ(run->counts.instructions, 6'125'146);
  EXPECT_EQ(run->counts.l1i_misses, 1019);
  EXPECT_EQ(run->counts.ll_misses, 1004 + 747 + 535);
}

TEST(Callgrind, WhatIsMissingHasAReason) {
  FakeFiles files;
  files.put("/out/output.log", "");
  EXPECT_THAT(read_callgrind(files, "/out").error().what, HasSubstr("wrote nothing"));
  files.put("/out/callgrind.out.7", output_of(""));
  EXPECT_THAT(read_callgrind(files, "/out").error().what, HasSubstr("killed"));
}

TEST(Callgrind, ARequestIsWhatTwoRunsDifferIn) {
  const CallgrindRun fewer{{5'000'000, 100, 900}, 1};
  const CallgrindRun more{{9'000'000, 80, 1000}, 1};
  const auto each = per_request(fewer, 1000, more, 3000);
  ASSERT_TRUE(each) << describe(each.error());
  EXPECT_EQ(each->instructions, 2000);
  EXPECT_EQ(each->l1i_misses, 0);  // fewer than at the start: none
  EXPECT_EQ(each->ll_misses, 0.05);
}

TEST(Callgrind, RunsThatDoNotCompareAreRefused) {
  const CallgrindRun one{{5'000'000, 100, 900}, 1};
  const CallgrindRun forks{{9'000'000, 80, 1000}, 40};
  EXPECT_THAT(per_request(one, 1000, forks, 3000).error().what, HasSubstr("starts processes"));
  const CallgrindRun more{{9'000'000, 80, 1000}, 1};
  EXPECT_THAT(per_request(one, 1000, more, 1000).error().what, HasSubstr("more requests"));
}

TEST(Callgrind, LeavesItsFilesWhereTheyAreLookedFor) {
  EXPECT_THAT(callgrind_words("/usr/bin/valgrind", "/out"),
              Contains("--callgrind-out-file=/out/callgrind.out.%p"));
}

}  // namespace
}  // namespace hone::measure
