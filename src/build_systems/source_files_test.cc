#include "build_systems/source_files.h"

#include <gmock/gmock.h>

#include <fstream>

#include "system/temporary_folder.h"

namespace hone::build_systems {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::UnorderedElementsAre;

class SourceFilesTest : public testing::Test {
 protected:
  void write(const std::string& name, const std::string& text = "x") {
    const fs::path path = root() / name;
    fs::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }
  fs::path root() const { return folder_ / "source"; }
  std::string hash() { return source_hash(root(), system_).value_or("failed"); }

  system::TemporaryFolder folder_;
  system::System system_ = system::real_system();
};

TEST_F(SourceFilesTest, BuildTreesAreKnownByWhatTheyHoldAndNotByTheirName) {
  write("build/common.m4");  // Traffic Server keeps sources there
  write("src/a.cc");
  write(".git/HEAD");
  write("third/.git/HEAD");
  write(".hone/x/store/y");
  write("mine/release/CMakeCache.txt");
  write("mine/release/src/a.o");
  write("mine/notes.txt");
  write("meson/build.ninja");
  write("out/recipe.locked.json");
  write("out/bin/server");
  const auto tree = read_source_tree(root(), system_);
  ASSERT_TRUE(tree);
  EXPECT_THAT(tree->files, ElementsAre("build/common.m4", "mine/notes.txt", "src/a.cc"));
  EXPECT_THAT(tree->left_out,
              UnorderedElementsAre(".git", "third/.git", ".hone", "mine/release", "meson", "out"));
}

TEST_F(SourceFilesTest, TheHashFollowsNamesAndContentsOfSourcesAlone) {
  write("a.cc", "int a;");
  const std::string first = hash();
  EXPECT_EQ(first.size(), 64U);
  write(".git/HEAD", "moved");
  write("tree/CMakeCache.txt");
  fs::create_symlink("nowhere", root() / "dangling");
  EXPECT_EQ(hash(), first);
  write("a.cc", "int b;");
  const std::string second = hash();
  EXPECT_NE(second, first);
  fs::rename(root() / "a.cc", root() / "b.cc");
  EXPECT_NE(hash(), second);
}

TEST_F(SourceFilesTest, ACopyKeepsTimesModesAndLinksAndLeavesTheRestBehind) {
  write("configure", "#!/bin/sh\n");
  fs::permissions(root() / "configure", fs::perms::owner_all);
  const auto long_ago = fs::file_time_type::clock::now() - std::chrono::hours(30);
  fs::last_write_time(root() / "configure", long_ago);
  write("odd [name]*/file with spaces.c");
  write("old/CMakeCache.txt");
  write(".git/HEAD");
  fs::create_directory_symlink("odd [name]*", root() / "link");
  fs::create_directories(root() / "empty");
  Job job;
  job.source = root();
  job.tree = root() / "inside";  // must not be copied into itself
  job.log = folder_ / "log";
  fs::create_directories(job.tree / ".hone");
  Steps steps(job, system_);
  const Status status = copy_source(job, steps, system_);
  ASSERT_TRUE(status) << describe(status.error());
  EXPECT_LT(fs::last_write_time(job.tree / "configure") - long_ago, std::chrono::seconds(2));
  EXPECT_NE(fs::status(job.tree / "configure").permissions() & fs::perms::owner_exec,
            fs::perms::none);
  EXPECT_TRUE(fs::exists(job.tree / "odd [name]*" / "file with spaces.c"));
  EXPECT_TRUE(fs::is_symlink(job.tree / "link"));
  EXPECT_TRUE(fs::is_directory(job.tree / "empty"));
  EXPECT_FALSE(fs::exists(job.tree / "old"));
  EXPECT_FALSE(fs::exists(job.tree / ".git"));
  EXPECT_FALSE(fs::exists(job.tree / "inside"));
  EXPECT_FALSE(fs::exists(job.tree / ".hone" / "source.tar"));

  // What was built in the copy stays when a cut build goes on.
  std::ofstream(job.tree / "configure") << "changed";
  ASSERT_TRUE(copy_source(job, steps, system_));
  EXPECT_EQ(fs::file_size(job.tree / "configure"), 7U);
}

}  // namespace
}  // namespace hone::build_systems
