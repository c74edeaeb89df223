// Builds through the fake tools of tests/fake_tools: what is reused, what is done again and why,
// and what a failure says.
#include "pipeline/build/build.h"

#include <gmock/gmock.h>

#include <fstream>

#include "flush/flush.h"
#include "pipeline/build/binary_size.h"
#include "pipeline/build/recipe_words.h"
#include "pipeline/build/variant_flags.h"
#include "system/temporary_folder.h"

namespace hone::pipeline {
namespace {

namespace fs = std::filesystem;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

class Recorder : public Observer {
 public:
  void stage(const std::string&, double) override {}
  void line(const std::string& text) override { lines.push_back(text); }
  void progress(const std::string&, double, double) override {}
  void finding(const Finding&) override {}
  std::vector<std::string> lines;
};

class BuildTest : public testing::Test {
 protected:
  void SetUp() override {
    const fs::path tools = folder_ / "tools";
    fs::create_directories(tools);
    std::ofstream(tools / "version") << "22.1.8";
    std::ofstream(tools / "record");
    for (const auto& [member, name] :
         std::vector<std::pair<std::string toolchain::Toolchain::*, std::string>>{
             {&toolchain::Toolchain::cc, "clang"},
             {&toolchain::Toolchain::cxx, "clang++"},
             {&toolchain::Toolchain::lld, "ld.lld"},
             {&toolchain::Toolchain::strip, "llvm-strip"},
             {&toolchain::Toolchain::size, "llvm-size"}}) {
      fs::copy_file("tests/fake_tools/tool", tools / name);
      tools_.*member = (tools / name).string();
    }
    tools_.major = 22;
    tools_.version = "22.1.8";
    write("source/a.c", "int main;");
    write("profile.profdata", "counts");
    recipe_.file = (folder_ / "recipe.toml").string();
    recipe_.source.path = (folder_ / "source").string();
    recipe_.build.system = "custom";
    recipe_.build.binary = "bin/server";
    recipe_.build.commands = {"mkdir -p bin", "$CC a.c -o bin/server"};
    recipe_.build.jobs = 1;
  }
  void write(const std::string& name, const std::string& text) {
    const fs::path path = folder_ / name;
    fs::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }
  Result<BuiltBinary> build_variant(const std::string& variant) {
    observer_.lines.clear();
    HONE_TRY(const FetchedSource source, fetch_source(recipe_, store_, os_, observer_));
    const std::string profile =
        variant == "pgo-thinlto" ? (folder_ / "profile.profdata").string() : "";
    return build(recipe_, source, variant, profile, tools_, store_, os_, observer_);
  }
  BuiltBinary built(const std::string& variant) {
    auto result = build_variant(variant);
    EXPECT_TRUE(result) << describe(result.error());
    return result.value_or(BuiltBinary{});
  }
  std::string recorded() { return os_.files->read(folder_ / "tools" / "record").value_or(""); }

  system::TemporaryFolder folder_;
  system::System os_ = system::real_system();
  Store store_{folder_ / "hone", "default", os_.files.get()};
  toolchain::Toolchain tools_;
  Recipe recipe_;
  Recorder observer_;
};

TEST_F(BuildTest, ABinaryIsKeptAndReused) {
  const BuiltBinary first = built("baseline");
  EXPECT_FALSE(first.reused);
  EXPECT_TRUE(fs::path(first.path).is_absolute());
  EXPECT_TRUE(fs::exists(first.path));
  EXPECT_TRUE(fs::exists(first.log));
  EXPECT_EQ(first.sha256.size(), 64U);
  EXPECT_EQ(first.costs.text_bytes, 130U);
  EXPECT_THAT(first.link_flags, ElementsAre("-fuse-ld=lld"));
  EXPECT_TRUE(first.compile_flags.empty());
  EXPECT_FALSE(fs::exists(folder_ / "hone" / "tree"));  // the tree goes with the build
  const std::string calls = recorded();

  const BuiltBinary second = built("baseline");
  EXPECT_TRUE(second.reused);
  EXPECT_EQ(second.path, first.path);
  EXPECT_EQ(second.costs.wall_s, first.costs.wall_s);
  EXPECT_EQ(recorded(), calls);
  EXPECT_THAT(observer_.lines, Contains("build baseline: reused"));
  EXPECT_TRUE(fs::exists(folder_ / "hone" / "default" / "2-build" / "baseline" / "value.json"));
}

TEST_F(BuildTest, AChangedFieldIsNamedAndRedoesTheBuild) {
  built("baseline");
  recipe_.build.env["WITH"] = "zlib";
  EXPECT_FALSE(built("baseline").reused);
  EXPECT_THAT(observer_.lines, Contains(HasSubstr("build baseline: again, because build.env")));
  write("source/a.c", "int other;");
  EXPECT_FALSE(built("baseline").reused);
  EXPECT_THAT(observer_.lines, Contains(HasSubstr("build baseline: again, because source")));
  // What only matters when the program runs, or how fast it is built, changes nothing.
  recipe_.server.workers = 7;
  recipe_.build.jobs = 2;
  recipe_.build.packages = {"zlib1g-dev"};
  EXPECT_TRUE(built("baseline").reused);
}

TEST_F(BuildTest, AFileBesideTheRecipeIsPartOfTheBuild) {
  write("extra.cmake", "one");
  recipe_.build.commands.push_back("cat {recipe_dir}/extra.cmake > {tree}/seen");
  built("baseline");
  EXPECT_TRUE(built("baseline").reused);
  write("extra.cmake", "two");
  EXPECT_FALSE(built("baseline").reused);
  fs::remove(folder_ / "extra.cmake");
  const auto gone = build_variant("baseline");
  ASSERT_FALSE(gone);
  EXPECT_EQ(gone.error().kind, ErrorKind::kRecipe);
}

TEST_F(BuildTest, AFolderBesideTheRecipeIsPartOfTheBuild) {
  write("patches/one/a.patch", "one");
  recipe_.build.commands.push_back("ls {recipe_dir}/patches");
  built("baseline");
  EXPECT_TRUE(built("baseline").reused);
  write("patches/one/a.patch", "two");
  EXPECT_FALSE(built("baseline").reused);
  EXPECT_THAT(observer_.lines, Contains(HasSubstr("again, because file patches")));
}

TEST_F(BuildTest, NamesBesideTheRecipeEndWhereAShellEndsThem) {
  write("a", "file");
  write("d/b", "file");
  const auto names = [&](const std::string& command) {
    recipe_.build.commands = {command};
    const auto files = recipe_files(recipe_, os_);
    EXPECT_TRUE(files) << files.error().what;
    std::vector<std::string> made;
    for (const auto& [name, hash] : files.value_or(std::map<std::string, std::string>{})) {
      made.push_back(name);
    }
    return made;
  };
  for (const char* end :
       {"", " x", "\n", ")", "&&x", "|x", "<x", ">x", ";x", "\"", "'", ":x", ",x"}) {
    EXPECT_THAT(names("cat {recipe_dir}/a" + std::string(end)), ElementsAre("a")) << end;
  }
  for (const char* rest : {"", "/", "/*.patch", "/x-?", "/[ab]", "/$X.patch", "/`x`", "/*/y"}) {
    EXPECT_THAT(names("cat {recipe_dir}/d" + std::string(rest)), ElementsAre("d")) << rest;
  }
  EXPECT_THAT(names("cat {recipe_dir}/*.patch {recipe_dir}/a"), ElementsAre(".", "a"));
}

TEST_F(BuildTest, AProfileCountsByItsContentAndNotByItsPlace) {
  const BuiltBinary first = built("pgo-thinlto");
  EXPECT_THAT(first.compile_flags,
              Contains("-fprofile-use=" + (folder_ / "profile.profdata").string()));
  EXPECT_TRUE(built("pgo-thinlto").reused);
  EXPECT_TRUE(fs::exists(folder_ / "hone" / "default" / "5-optimize" / "pgo-thinlto"));
  write("profile.profdata", "other counts");
  EXPECT_FALSE(built("pgo-thinlto").reused);
  EXPECT_THAT(observer_.lines, Contains(HasSubstr("again, because profile")));
}

TEST_F(BuildTest, TheCompilersWordsAboutTheProfileAreCounted) {
  recipe_.build.commands.push_back(
      "echo 'warning: a.c: function control flow change detected (hash mismatch) main Hash = 1 up "
      "to 5 count discarded [-Wbackend-plugin]'");
  EXPECT_EQ(built("pgo-thinlto").profile_use.counts_discarded, 5U);
  EXPECT_EQ(built("baseline").profile_use.counts_discarded, 0U);
}

TEST_F(BuildTest, ACutBuildGoesOnInItsTree) {
  recipe_.build.commands = {"mkdir -p bin", "test -e second || { touch second; exit 1; }",
                            "$CC a.c -o bin/server"};
  const auto cut = build_variant("baseline");
  ASSERT_FALSE(cut);
  EXPECT_EQ(cut.error().kind, ErrorKind::kBuildFailed);
  EXPECT_TRUE(fs::exists(folder_ / "hone" / "tree" / "second"));
  EXPECT_FALSE(built("baseline").reused);
  EXPECT_THAT(observer_.lines, Contains(HasSubstr("going on where it was cut")));
}

TEST_F(BuildTest, AFailureNamesThePackagesThatAreMissing) {
  recipe_.build.commands = {"echo 'a.c:1:1: fatal error: no ev.h'; exit 1"};
  recipe_.build.packages = {"hone-no-such-package-dev"};
  const auto failed = build_variant("instrumented");
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().kind, ErrorKind::kBuildFailed);
  EXPECT_THAT(failed.error().what, HasSubstr("a.c:1:1: fatal error: no ev.h"));
  EXPECT_THAT(failed.error().doing, HasSubstr("building instrumented"));
  EXPECT_THAT(failed.error().next, HasSubstr("sudo apt-get install hone-no-such-package-dev"));
  EXPECT_TRUE(fs::exists(failed.error().log_file));
}

TEST_F(BuildTest, APrebuiltProgramHasABaselineOnlyAndIsTakenAnewWhenItChanges) {
  write("source/bin/server", "one");
  recipe_.build.system = "prebuilt";
  recipe_.build.commands.clear();
  const BuiltBinary first = built("baseline");
  EXPECT_EQ(os_.files->read(first.path).value_or(""), "one");
  write("source/bin/server", "two");
  EXPECT_FALSE(built("baseline").reused);
  const auto instrumented = build_variant("instrumented");
  ASSERT_FALSE(instrumented);
  EXPECT_EQ(instrumented.error().kind, ErrorKind::kRecipe);
}

TEST_F(BuildTest, ASourceFolderThatIsGoneIsASourceError) {
  fs::remove_all(folder_ / "source");
  const auto failed = build_variant("baseline");
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().kind, ErrorKind::kSource);
}

TEST_F(BuildTest, InstrumentedAndOptimizedKeepOneLtoMode) {
  const auto instrumented = variant_flags("instrumented", "", tools_);
  const auto optimized = variant_flags("pgo-thinlto", "/p.profdata", tools_);
  ASSERT_TRUE(instrumented && optimized);
  EXPECT_THAT(instrumented->compile, Contains("-flto=thin"));
  EXPECT_THAT(instrumented->compile, Contains("-fprofile-update=atomic"));
  EXPECT_THAT(optimized->compile, Contains("-flto=thin"));
  EXPECT_THAT(optimized->compile, Contains("-fprofile-use=/p.profdata"));
  // Alike but for what keeps the profile from being lost.
  std::vector<std::string> link = optimized->link;
  link.emplace_back(HONE_FLUSH_LINK_FLAGS);
  EXPECT_EQ(instrumented->link, link);
  EXPECT_EQ(variant_flags("bolt", "", tools_).error().kind, ErrorKind::kUsage);
}

TEST_F(BuildTest, ALinkerThatClangWouldNotFindIsNamedByItsPath) {
  tools_.lld = "/opt/other/ld.lld-22";
  const auto flags = variant_flags("baseline", "", tools_);
  ASSERT_TRUE(flags);
  EXPECT_THAT(flags->link, ElementsAre("-fuse-ld=lld", "--ld-path=/opt/other/ld.lld-22"));
}

TEST(BinarySize, TextIsTheSumOfTheCodeSections) {
  EXPECT_EQ(text_bytes_in("a  :\nsection size addr\n.text 100 0\n.text.hot 20 0\n.textual 5 0\n"
                          ".rodata 7 0\nTotal 132\n"),
            120U);
}

}  // namespace
}  // namespace hone::pipeline
