#include "pipeline/build/build_tree.h"

#include <gtest/gtest.h>

#include <fstream>

#include "system/system.h"
#include "system/temporary_folder.h"

namespace hone::pipeline {
namespace {

namespace fs = std::filesystem;

class BuildTreeTest : public testing::Test {
 protected:
  BuildTree enter(const std::string& name) {
    fs::create_directories(work(name));
    auto tree = enter_build_tree(root_ / "tree", work(name), *os_.files);
    EXPECT_TRUE(tree) << describe(tree.error());
    return tree.value_or(BuildTree{});
  }
  fs::path work(const std::string& name) const { return root_.path() / "store" / name; }

  system::TemporaryFolder root_;
  system::System os_ = system::real_system();
};

TEST_F(BuildTreeTest, EveryBuildHasTheSamePath) {
  const BuildTree first = enter("a.part");
  EXPECT_FALSE(first.resumed);
  std::ofstream(first.path / "object") << "a";
  const BuildTree second = enter("b.part");
  EXPECT_EQ(second.path, first.path);
  EXPECT_FALSE(second.resumed);
  EXPECT_FALSE(fs::exists(second.path / "object"));
}

TEST_F(BuildTreeTest, ACutBuildFindsItsOwnTreeAgain) {
  std::ofstream(enter("a.part").path / "object") << "a";
  EXPECT_TRUE(enter("a.part").resumed);
  std::ofstream(enter("b.part").path / "object") << "b";
  const BuildTree again = enter("a.part");
  EXPECT_TRUE(again.resumed);
  EXPECT_EQ(os_.files->read(again.path / "object").value_or(""), "a");
  EXPECT_EQ(os_.files->read(work("b.part") / "tree" / "object").value_or(""), "b");
}

TEST_F(BuildTreeTest, TheTreeOfABuildThatIsGoneGoesToo) {
  std::ofstream(enter("a.part").path / "object") << "a";
  fs::remove_all(work("a.part"));
  EXPECT_FALSE(fs::exists(enter("b.part").path / "object"));
  EXPECT_FALSE(fs::exists(work("a.part")));
}

TEST_F(BuildTreeTest, ATreeOfNobodysIsRemoved) {
  fs::create_directories(root_ / "tree");
  std::ofstream(root_ / "tree/object") << "?";
  const BuildTree tree = enter("a.part");
  EXPECT_FALSE(tree.resumed);
  EXPECT_FALSE(fs::exists(tree.path / "object"));
}

}  // namespace
}  // namespace hone::pipeline
