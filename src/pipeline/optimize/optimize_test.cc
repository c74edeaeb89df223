#include "pipeline/optimize/optimize.h"

#include <gmock/gmock.h>

#include <fstream>

#include "system/temporary_folder.h"

namespace hone::pipeline {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

class ProductTest : public testing::Test {
 protected:
  void SetUp() override {
    const fs::path tools = folder_ / "tools";
    fs::create_directories(tools);
    std::ofstream(tools / "version") << "22.1.8";
    for (const char* name : {"llvm-strip", "llvm-objcopy"}) {
      fs::copy_file("tests/fake_tools/tool", tools / name);
    }
    tools_.major = 22;
    tools_.version = "22.1.8";
    tools_.strip = (tools / "llvm-strip").string();
    tools_.objcopy = (tools / "llvm-objcopy").string();
    std::ofstream(folder_ / "server") << "program\n";
    std::ofstream(folder_ / "abc.profdata") << "counts";
    binary_.variant = "pgo-thinlto";
    binary_.path = (folder_ / "server").string();
    binary_.compile_flags = {"-flto=thin", "-fprofile-use=" + (folder_ / "abc.profdata").string()};
    binary_.link_flags = {"-fuse-ld=lld", "--ld-path=/opt/ld.lld"};
    profile_.path = (folder_ / "abc.profdata").string();
    profile_.sha256 = "abc";
    source_.text = "server 1.0 (Debian source package)";
  }
  Result<Product> write() {
    return write_product(recipe_, source_, binary_, profile_, tools_, out(), os_);
  }
  fs::path out() const { return folder_.path() / "deep" / "out"; }
  std::string read(const fs::path& name) { return os_.files->read(out() / name).value_or(""); }
  bool sums_hold() {
    system::Command check;
    check.argv = {"sha256sum", "-c", "--quiet", "SHA256SUMS"};
    check.cwd = out();
    const auto exit = os_.processes->run(check);
    return exit && exit->ok();
  }

  system::TemporaryFolder folder_;
  system::System os_ = system::real_system();
  toolchain::Toolchain tools_;
  Recipe recipe_;
  FetchedSource source_;
  BuiltBinary binary_;
  MergedProfile profile_;
};

TEST_F(ProductTest, HoldsEverythingWithHashesThatCheck) {
  const auto product = write();
  ASSERT_TRUE(product) << describe(product.error());
  EXPECT_EQ(product->folder, out().string());
  EXPECT_THAT(product->files, ElementsAre("bin/server", "bin/server.debug", "server.profdata",
                                          "recipe.locked.json", "flags.txt", "SHA256SUMS"));
  for (const std::string& file : product->files) EXPECT_TRUE(fs::exists(out() / file)) << file;
  EXPECT_THAT(read("bin/server"), HasSubstr("server.debug"));  // the debug link
  EXPECT_TRUE(sums_hold());
  EXPECT_FALSE(fs::exists(out().parent_path() / "out.part"));
  EXPECT_TRUE(parse_json(read("recipe.locked.json"), "lock"));
}

TEST_F(ProductTest, FlagsArePastedWithoutThisMachinesPaths) {
  ASSERT_TRUE(write());
  const std::string flags = read("flags.txt");
  EXPECT_THAT(flags, HasSubstr("HONE_CFLAGS=\"-flto=thin -fprofile-use=$PROFILE\""));
  EXPECT_THAT(flags, HasSubstr("HONE_LDFLAGS=\"-flto=thin -fprofile-use=$PROFILE -fuse-ld=lld\""));
  EXPECT_THAT(flags, HasSubstr("server 1.0 (Debian source package)"));
  EXPECT_THAT(flags, Not(HasSubstr(folder_.path().string())));
  EXPECT_THAT(flags, Not(HasSubstr("/opt/ld.lld")));
  system::Command shell;  // it must be shell, as it says
  shell.argv = {"sh", "-n", (out() / "flags.txt").string()};
  EXPECT_TRUE(os_.processes->run(shell)->ok());
}

TEST_F(ProductTest, AnEarlierProductIsReplacedAndOtherFilesStay) {
  ASSERT_TRUE(write());
  std::ofstream(out() / "notes.txt") << "mine";
  std::ofstream(folder_ / "server") << "newer program\n";
  const auto again = write();
  ASSERT_TRUE(again) << describe(again.error());
  EXPECT_THAT(read("bin/server"), HasSubstr("newer program"));
  EXPECT_EQ(read("notes.txt"), "mine");
  EXPECT_TRUE(sums_hold());
}

TEST_F(ProductTest, AFailureLeavesNoHalfProduct) {
  fs::remove(folder_ / "abc.profdata");
  ASSERT_FALSE(write());
  EXPECT_FALSE(fs::exists(out()));
}

}  // namespace
}  // namespace hone::pipeline
