// The texts are what llvm-profdata 22.1.8 printed for a small C++ program.
#include "pipeline/profdata/profdata_text.h"

#include <gmock/gmock.h>

namespace hone::pipeline {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

const char kTopN[] = R"(Instrumentation level: IR  entry_first = 0  instrument_loop_entries = 0
Total functions: 9
Maximum function count: 36000
Maximum internal block count: 8000
Total number of blocks: 13
Total count: 60008
Top 10 functions with the largest internal block counts: 
  main, max count = 36000
  _Z3addi, max count = 8000
  s.cc;_ZL11local_thingi, max count = 0
)";

const char kCallSites[] =
    "Counters:\n"
    "  _Z3addi:\n"
    "    Hash: 0x0a4d0ad3efffffff\n"
    "    Counters: 1\n"
    "    Indirect Call Site Count: 0\n"
    "    Indirect Target Results:\n"
    "  main:\n"
    "    Hash: 0x02a447470ae53b0f\n"
    "    Counters: 4\n"
    "    Indirect Call Site Count: 2\n"
    "    Indirect Target Results:\n"
    "\t[  0, _ZN1D1fEi,       3000 ] (75.00%)\n"
    "\t[  0, _ZN1C1fEi,       1000 ] (25.00%)\n"
    "\t[  1, a,b.cc;_ZL3addi,       8000 ] (100.00%)\n"
    "  other:\n"
    "    Indirect Target Results:\n"
    "\t[  0, ,        334 ] (33.40%)\n"
    "\t[  1, ** External Symbol **,        333 ] (33.30%)\n"
    "\t[  2, ,        333 ] (33.30%)\n"
    "\t[  2, _Z3addi,        300 ] (30.30%)\n"
    "Instrumentation level: IR  entry_first = 0  instrument_loop_entries = 0\n"
    "Functions shown: 9\n"
    "Total functions: 9\n"
    "Total count: 60008\n"
    "Statistics for indirect call sites profile:\n"
    "  Total number of sites: 7\n"
    "  Total number of sites with values: 5\n"
    "  Total number of profiled values: 3\n"
    "  Value sites histogram:\n"
    "\tNumTargets, SiteCount\n"
    "\t1, 1\n"
    "\t2, 1\n";

TEST(ProfdataTextTest, Summary) {
  const auto summary = parse_profile_summary(kTopN);
  ASSERT_TRUE(summary);
  EXPECT_EQ(summary->functions, 9U);
  EXPECT_EQ(summary->total_count, 60008U);
  EXPECT_EQ(summary->max_count, 36000U);
  EXPECT_TRUE(summary->ir);
}

TEST(ProfdataTextTest, SummaryWithoutTotalsIsAnError) {
  for (const char* text : {"", "error: x\n", "Total functions: 9\n", "Total functions: many\n"}) {
    const auto summary = parse_profile_summary(text);
    ASSERT_FALSE(summary) << text;
    EXPECT_EQ(summary.error().kind, ErrorKind::kProfile);
  }
}

TEST(ProfdataTextTest, CoveredNamesAreSortedAndSingle) {
  EXPECT_THAT(parse_covered("main\n_Z3addi\nwarning: x.profdata: odd\n\nmain\ns.cc;_ZL1fi"),
              ElementsAre("_Z3addi", "main", "s.cc;_ZL1fi"));
  EXPECT_THAT(parse_covered(""), IsEmpty());
}

TEST(ProfdataTextTest, HottestLeavesOutZeros) {
  EXPECT_THAT(parse_hottest(kTopN), ElementsAre(Pair("main", 36000), Pair("_Z3addi", 8000)));
}

TEST(ProfdataTextTest, CallSitesWithANamedTarget) {
  const auto sites = parse_call_sites(kCallSites);
  ASSERT_TRUE(sites);
  EXPECT_EQ(sites->sites, 7U);
  // main's two, and other's third, which has one target with a name beside one without.
  EXPECT_EQ(sites->resolved, 3U);
  EXPECT_FALSE(parse_call_sites("Counters:\n"));
}

TEST(ProfdataTextTest, Overlap) {
  const auto overlap = parse_overlap(
      "Profile overlap information for base_profile: a and test_profile: b\n"
      "Program level:\n"
      "  # of functions overlap: 9\n"
      "  Edge profile overlap: 86.655%\n"
      "  IndirectCall profile overlap: 50.000%\n");
  ASSERT_TRUE(overlap);
  EXPECT_NEAR(*overlap, 0.86655, 1e-9);
  EXPECT_FALSE(parse_overlap("Sum of edge counts for profile b is 0.\n"));
}

TEST(ProfdataTextTest, FirstComplaint) {
  EXPECT_EQ(first_complaint("warning: a.profraw: truncated profile data\n"
                            "error: no profile can be merged\n"),
            "a.profraw: truncated profile data");
  EXPECT_EQ(first_complaint("x\nerror: a.profraw: unsupported version\n"),
            "a.profraw: unsupported version");
  EXPECT_EQ(first_complaint("fine\n"), "");
}

}  // namespace
}  // namespace hone::pipeline
