#include "build_systems/compiler_wrapper.h"

#include <gtest/gtest.h>

#include <fstream>

#include "base/text.h"
#include "system/temporary_folder.h"

namespace hone::build_systems {
namespace {

namespace fs = std::filesystem;

// The script with a "compiler" that prints its words, each in brackets.
class WrapperTest : public testing::Test {
 protected:
  void SetUp() override {
    write(folder_ / "real cc", "#!/bin/sh\nfor word in \"$@\"; do printf '[%s]' \"$word\"; done\n");
    Flags flags;
    flags.compile = {"-flto=thin", "-fprofile-use=/a b/p"};
    flags.link = {"-fuse-ld=lld"};
    write(folder_ / "cc", wrapper_script((folder_ / "real cc").string(), "clang 22.1.8", flags));
  }
  static void write(const fs::path& path, const std::string& text) {
    std::ofstream(path) << text;
    fs::permissions(path, fs::perms::owner_all);
  }
  std::string call(std::vector<std::string> words, bool probing = false) {
    words.insert(words.begin(), (folder_ / "cc").string());
    system::Command command;
    command.argv = words;
    if (probing) command.env[kProbing] = "1";
    return system_.processes->capture(command).value_or("failed");
  }

  const std::string compile_ =
      "[-flto=thin][-fprofile-use=/a b/p][-Wno-unused-command-line-argument]";
  const std::string link_ = "[-fuse-ld=lld][-Wno-unused-command-line-argument]";
  system::TemporaryFolder folder_;
  system::System system_ = system::real_system();
};

TEST_F(WrapperTest, ACompilationGetsTheCompileFlagsBehindItsOwn) {
  EXPECT_EQ(call({"-O2", "-c", "a b.cc", "-o", "a.o"}), "[-O2][-c][a b.cc][-o][a.o]" + compile_);
  EXPECT_EQ(call({"-S", "a.c"}), "[-S][a.c]" + compile_);
  EXPECT_EQ(call({"-E", "-"}), "[-E][-]" + compile_);
  EXPECT_EQ(call({"-MM", "a.c"}), "[-MM][a.c]" + compile_);
  EXPECT_EQ(call({"-fsyntax-only", "a.c"}), "[-fsyntax-only][a.c]" + compile_);
}

TEST_F(WrapperTest, ALinkGetsBothKinds) {
  EXPECT_EQ(call({"a.o", "-o", "a"}), "[a.o][-o][a]" + compile_ + link_);
  EXPECT_EQ(call({"a.c"}), "[a.c]" + compile_ + link_);
  EXPECT_EQ(call({"@objects.rsp"}), "[@objects.rsp]" + compile_ + link_);
  EXPECT_EQ(call({"-shared", "-Wl,-soname,x", "a.o"}),
            "[-shared][-Wl,-soname,x][a.o]" + compile_ + link_);
}

TEST_F(WrapperTest, ARelocatableLinkGetsTheLinkFlagsOnly) {
  EXPECT_EQ(call({"-r", "a.o", "b.o", "-o", "ab.o"}), "[-r][a.o][b.o][-o][ab.o]" + link_);
}

TEST_F(WrapperTest, QueriesPassUnchanged) {
  for (const std::string query : {"--version", "-v", "-dumpmachine", "-print-search-dirs"}) {
    EXPECT_EQ(call({query}), "[" + query + "]");
  }
  EXPECT_EQ(call({"-O2", "-o", "nothing", "-I", "include"}), "[-O2][-o][nothing][-I][include]");
  EXPECT_EQ(call({}), "");
}

TEST_F(WrapperTest, AnOptionsValueIsNoInputAndNoOptionIsItsValue) {
  // Were "-c" behind -D taken for the option, this link would lose its link flags.
  EXPECT_EQ(call({"-include", "x.h", "-D", "-c", "a.o"}),
            "[-include][x.h][-D][-c][a.o]" + compile_ + link_);
}

TEST_F(WrapperTest, ProbesSeeThePlainCompiler) {
  EXPECT_EQ(call({"conftest.c", "-o", "conftest"}, true), "[conftest.c][-o][conftest]");
}

TEST_F(WrapperTest, FlagsGoInFrontOfADoubleDash) {
  EXPECT_EQ(call({"-c", "--", "-odd.c"}), compile_ + "[-c][--][-odd.c]");
  EXPECT_EQ(call({"--", "a.o"}), compile_ + link_ + "[--][a.o]");
}

TEST_F(WrapperTest, WithoutFlagsNothingIsAdded) {
  write(folder_ / "cc", wrapper_script((folder_ / "real cc").string(), "clang 22.1.8", {}));
  EXPECT_EQ(call({"a.c", "-o", "a"}), "[a.c][-o][a]");
}

TEST_F(WrapperTest, AScriptThatSaysTheSameIsLeftAlone) {
  Job job;
  job.tree = folder_ / "tree";
  job.tools.cc = "/usr/bin/true";
  job.tools.cxx = "/usr/bin/true";
  ASSERT_TRUE(write_wrappers(job, system_));
  const fs::path script = job.tree / ".hone" / "cc";
  const auto long_ago = fs::file_time_type::clock::now() - std::chrono::hours(1);
  fs::last_write_time(script, long_ago);
  ASSERT_TRUE(write_wrappers(job, system_));
  EXPECT_EQ(fs::last_write_time(script), long_ago);
  job.flags.compile = {"-O1"};
  ASSERT_TRUE(write_wrappers(job, system_));
  EXPECT_NE(fs::last_write_time(script), long_ago);
}

}  // namespace
}  // namespace hone::build_systems
