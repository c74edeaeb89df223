#include "pipeline/prove/design.h"

#include <gmock/gmock.h>

#include "system/real.h"
#include "system/temporary_folder.h"

namespace hone::pipeline {
namespace {

using testing::Pair;
using testing::UnorderedElementsAre;

TEST(HashNamedFiles, TakesEveryFileThatTheCommandNames) {
  const system::TemporaryFolder folder;
  const auto files = system::real_files();
  const std::string script = (folder / "server.py").string();
  const std::string config = (folder / "a.conf").string();
  ASSERT_TRUE(files->write(script, "abc"));
  ASSERT_TRUE(files->write(config, ""));
  // SHA-256 of "abc" and of nothing: FIPS 180-2, appendix B, and its well-known empty digest.
  const auto hashes = hash_named_files({"/bin/sh", script, "--config=" + config, "{port}",
                                        "--conf=/dev/null", folder.path().string()},
                                       *files);
  ASSERT_TRUE(hashes);
  EXPECT_THAT(
      *hashes,
      UnorderedElementsAre(
          Pair(script, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
          Pair(config, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")));
}

TEST(Crowded, MoreWorkersThanCpus) {
  Design design;
  design.candidates.resize(1);
  design.server_cpus = {1};
  EXPECT_FALSE(crowded(design));
  design.candidates[0].server.workers = 2;
  EXPECT_TRUE(crowded(design));
}

TEST(CandidateName, IsALetterAndThenALetterWithANumber) {
  EXPECT_EQ(candidate_name(0), "B");
  EXPECT_EQ(candidate_name(24), "Z");
  EXPECT_EQ(candidate_name(25), "B2");
  EXPECT_EQ(candidate_name(50), "B3");
}

// A name for readers moves no measurement.
TEST(AddTo, TakesTheArmsButNotWhatReadersCallThem) {
  Design design;
  design.base.name = "A";
  const auto hash_of = [&design] {
    Fingerprint print;
    add_to(&print, design, arms_of(design), {});
    return print.hash();
  };
  const std::string before = hash_of();
  design.base.label = "the old one";
  EXPECT_EQ(hash_of(), before);
  design.base.sha256 = "another";
  EXPECT_NE(hash_of(), before);
}

TEST(AddTo, WhereLoadAndOriginRunIsPartOfWhatIsCompared) {
  const auto hash = [](const Design& design) {
    Fingerprint print;
    add_to(&print, design, {}, {});
    return print.hash();
  };
  Design design;
  const std::string here = hash(design);
  design.settings.hosts.load.via = {"ssh", "load1"};
  const std::string load_there = hash(design);
  design.settings.hosts.origin.via = {"ssh", "load1"};
  const std::string both_there = hash(design);
  EXPECT_NE(here, load_there);
  EXPECT_NE(load_there, both_there);
  design.settings.hosts.origin = {};
  EXPECT_EQ(hash(design), load_there);
}

TEST(NameMachine, SaysModelAndKernel) {
  EXPECT_EQ(name_machine({{"cpu_model", "Some CPU"}, {"kernel", "6.1.0"}}),
            "Some CPU, kernel 6.1.0");
  EXPECT_EQ(name_machine(Json{{"kernel", nullptr}}), "unknown, kernel unknown");
}

}  // namespace
}  // namespace hone::pipeline
