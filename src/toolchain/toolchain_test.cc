#include "toolchain/toolchain.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "toolchain/tool_set.h"

namespace hone::toolchain {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

const char* const kTools[] = {"clang",      "clang++",     "ld.lld",  "llvm-profdata",
                              "llvm-ar",    "llvm-ranlib", "llvm-nm", "llvm-objcopy",
                              "llvm-strip", "llvm-size"};

class ToolchainTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "hone-toolchain-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    root_ = pattern;
    places_.llvm_root = root_ / "lib";
    places_.path = {root_ / "path"};
    fs::create_directories(root_ / "lib");
    fs::create_directories(root_ / "path");
  }
  void TearDown() override { fs::remove_all(root_); }

  void write(const fs::path& path, const std::string& text) { std::ofstream(path) << text; }

  // A set of fake tools in `folder`, named TOOL + `suffix`, with the profile runtime beside them.
  void make_set(const fs::path& folder, const std::string& version,
                const std::string& suffix = "") {
    fs::create_directories(folder);
    for (const char* tool : kTools) {
      fs::copy_file("tests/fake_tools/tool", folder / (tool + suffix));
    }
    write(folder / "version", version);
    write(folder / "libclang_rt.profile-x86_64.a", "");
  }
  fs::path llvm(int major) { return root_ / "lib" / ("llvm-" + std::to_string(major)) / "bin"; }

  fs::path root_;
  Places places_;
  system::System system_ = system::real_system();
};

TEST_F(ToolchainTest, TheNewestCompleteSetIsTakenWhenNoneIsAskedFor) {
  make_set(llvm(19), "19.1.7");
  make_set(llvm(22), "22.1.8");
  make_set(llvm(23), "23.0.0");
  fs::remove(llvm(23) / "llvm-profdata");
  const auto tools = discover_in("", places_, system_);
  ASSERT_TRUE(tools) << describe(tools.error());
  EXPECT_EQ(tools->major, 22);
  EXPECT_EQ(tools->version, "22.1.8");
  EXPECT_EQ(tools->cc, llvm(22) / "clang");
  EXPECT_EQ(tools->cxx, llvm(22) / "clang++");
  EXPECT_EQ(tools->size, llvm(22) / "llvm-size");
  EXPECT_EQ(tools->profile_runtime, llvm(22) / "libclang_rt.profile-x86_64.a");
}

TEST_F(ToolchainTest, AMajorIsFoundUnderItsNumberedNamesInPath) {
  make_set(root_ / "path", "19.1.7", "-19");
  make_set(llvm(22), "22.1.8");
  const auto tools = discover_in("19", places_, system_);
  ASSERT_TRUE(tools) << describe(tools.error());
  EXPECT_EQ(tools->cc, root_ / "path" / "clang-19");
  EXPECT_EQ(tools->lld, root_ / "path" / "ld.lld-19");
}

TEST_F(ToolchainTest, PlainNamesInPathCountAsASetOfTheirOwnMajor) {
  make_set(root_ / "path", "22.1.8");
  const auto tools = discover_in("", places_, system_);
  ASSERT_TRUE(tools) << describe(tools.error());
  EXPECT_EQ(tools->nm, root_ / "path" / "llvm-nm");
}

TEST_F(ToolchainTest, AFolderIsTakenWithOrWithoutItsBin) {
  make_set(root_ / "own" / "bin", "21.1.0");
  for (const fs::path& wanted : {root_ / "own", root_ / "own" / "bin"}) {
    const auto tools = discover_in(wanted.string(), places_, system_);
    ASSERT_TRUE(tools) << describe(tools.error());
    EXPECT_EQ(tools->cxx, root_ / "own" / "bin" / "clang++");
  }
}

TEST_F(ToolchainTest, MixedMajorsAreRefusedWithEveryToolItsVersionAndItsPath) {
  make_set(root_ / "own", "22.1.8");
  write(root_ / "own" / "ld.lld.version", "19.1.7");
  const auto tools = discover_in((root_ / "own").string(), places_, system_);
  ASSERT_FALSE(tools);
  EXPECT_EQ(tools.error().kind, ErrorKind::kToolchain);
  EXPECT_THAT(tools.error().what,
              HasSubstr("ld.lld 19.1.7 (" + (root_ / "own" / "ld.lld").string() + ")"));
  EXPECT_THAT(tools.error().what, HasSubstr("clang 22.1.8 (" + (root_ / "own").string()));
  EXPECT_THAT(tools.error().next, HasSubstr("sudo apt-get install lld-22"));
  EXPECT_THAT(tools.error().next, Not(HasSubstr("clang-22")));
}

TEST_F(ToolchainTest, APlainToolOfAnotherMajorIsShownAsMixedNotAsMissing) {
  make_set(llvm(22), "22.1.8");
  fs::remove(llvm(22) / "ld.lld");
  fs::copy_file("tests/fake_tools/tool", root_ / "path" / "ld.lld");
  write(root_ / "path" / "version", "14.0.6");
  const auto tools = discover_in("22", places_, system_);
  ASSERT_FALSE(tools);
  EXPECT_EQ(tools.error().kind, ErrorKind::kToolchain);
  EXPECT_THAT(tools.error().what, HasSubstr("ld.lld 14.0.6"));
}

TEST_F(ToolchainTest, AMissingToolIsNamedWithItsPackage) {
  make_set(llvm(22), "22.1.8");
  fs::remove(llvm(22) / "ld.lld");
  fs::remove(llvm(22) / "llvm-strip");
  for (const std::string wanted : {"22", ""}) {
    const auto tools = discover_in(wanted, places_, system_);
    ASSERT_FALSE(tools);
    EXPECT_EQ(tools.error().kind, ErrorKind::kToolMissing);
    EXPECT_THAT(tools.error().what, HasSubstr("ld.lld, llvm-strip are missing"));
    EXPECT_EQ(tools.error().next, "sudo apt-get install lld-22 llvm-22");
  }
}

TEST_F(ToolchainTest, WhatIsMissingIsToBeInstalledAtOnce) {
  make_set(root_ / "path", "14.0.6");  // plain tools of another major are no part of 19
  fs::remove(root_ / "path" / "clang");
  const auto tools = discover_in("19", places_, system_);
  ASSERT_FALSE(tools);
  EXPECT_EQ(tools.error().kind, ErrorKind::kToolMissing);
  EXPECT_EQ(tools.error().next, "sudo apt-get install clang-19 lld-19 llvm-19 libclang-rt-19-dev");
}

TEST_F(ToolchainTest, TheProfileRuntimeMustBeThere) {
  make_set(llvm(22), "22.1.8");
  fs::remove(llvm(22) / "libclang_rt.profile-x86_64.a");
  const auto tools = discover_in("22", places_, system_);
  ASSERT_FALSE(tools);
  EXPECT_EQ(tools.error().kind, ErrorKind::kToolMissing);
  EXPECT_THAT(tools.error().what, HasSubstr("profile runtime"));
  EXPECT_EQ(tools.error().next, "sudo apt-get install libclang-rt-22-dev");
}

TEST_F(ToolchainTest, NoClangAtAllSaysWhatToInstall) {
  const auto tools = discover_in("", places_, system_);
  ASSERT_FALSE(tools);
  EXPECT_EQ(tools.error().kind, ErrorKind::kToolMissing);
  EXPECT_THAT(tools.error().next, HasSubstr("clang-22 lld-22 llvm-22 libclang-rt-22-dev"));
  const auto asked = discover_in("21", places_, system_);
  ASSERT_FALSE(asked);
  EXPECT_EQ(asked.error().kind, ErrorKind::kToolMissing);
  EXPECT_THAT(asked.error().next, HasSubstr("clang-21"));
}

TEST_F(ToolchainTest, AToolThatDoesNotRunIsOfUnknownVersion) {
  make_set(llvm(22), "22.1.8");
  write(llvm(22) / "llvm-ar", "#!/bin/sh\nexit 127\n");
  const auto tools = discover_in("22", places_, system_);
  ASSERT_FALSE(tools);
  EXPECT_EQ(tools.error().kind, ErrorKind::kToolchain);
  EXPECT_THAT(tools.error().what, HasSubstr("llvm-ar of unknown version"));
}

TEST_F(ToolchainTest, SomethingElseThanAMajorOrAFolderIsTheRecipesError) {
  const auto tools = discover_in("newest", places_, system_);
  ASSERT_FALSE(tools);
  EXPECT_EQ(tools.error().kind, ErrorKind::kRecipe);
}

TEST_F(ToolchainTest, ExamineHasOneLinePerToolAndSaysHowToMend) {
  make_set(llvm(22), "22.1.8");
  fs::remove(llvm(22) / "llvm-profdata");
  write(llvm(22) / "llvm-size.version", "19.1.7");
  const std::vector<ToolLine> lines = examine_in("22", places_, system_);
  ASSERT_EQ(lines.size(), roles().size() + 1);
  EXPECT_EQ(lines[0].state, "found");
  EXPECT_EQ(lines[3].state, "missing");
  EXPECT_EQ(lines[3].advice, "sudo apt-get install llvm-22");
  EXPECT_EQ(lines[9].state, "unfit");
  EXPECT_EQ(lines[9].version, "19.1.7");
  EXPECT_EQ(lines[10].tool, "profile runtime");
  EXPECT_EQ(lines[10].state, "found");
}

TEST(Version, ComesOutOfEachKindOfBanner) {
  EXPECT_EQ(version_in("Debian clang version 22.1.8 (1~deb12u1)\nTarget: x", "clang version "),
            "22.1.8");
  EXPECT_EQ(version_in("Debian LLD 22.1.8 (compatible with GNU linkers)", "LLD "), "22.1.8");
  EXPECT_EQ(version_in("llvm-size-22\n  Debian LLVM version 22.1.8\n", "LLVM version "), "22.1.8");
  EXPECT_EQ(version_in("GNU ar (GNU Binutils for Debian) 2.40", "LLVM version "), "");
  EXPECT_EQ(major_of("22.1.8"), 22);
  EXPECT_EQ(major_of("22git"), 0);
  EXPECT_EQ(major_of(""), 0);
}

}  // namespace
}  // namespace hone::toolchain
