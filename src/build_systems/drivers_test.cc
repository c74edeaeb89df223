// Each driver on a small project, with the fake compiler of tests/fake_tools, which records every
// command it is given.
#include <gmock/gmock.h>

#include <fstream>

#include "base/text.h"
#include "build_systems/driver.h"
#include "system/temporary_folder.h"

namespace hone::build_systems {
namespace {

namespace fs = std::filesystem;
using testing::Contains;
using testing::Each;
using testing::HasSubstr;
using testing::Not;

class DriversTest : public testing::Test {
 protected:
  void SetUp() override {
    const fs::path tools = folder_ / "tools";
    fs::create_directories(tools);
    for (const char* name : {"clang", "clang++"}) {
      fs::copy_file("tests/fake_tools/tool", tools / name);
    }
    std::ofstream(tools / "version") << "22.1.8";
    std::ofstream(tools / "record");
    job_.tools.cc = (tools / "clang").string();
    job_.tools.cxx = (tools / "clang++").string();
    job_.tools.version = "22.1.8";
    job_.tools.ar = "/usr/bin/fake-ar";
    job_.source = folder_ / "source";
    job_.tree = folder_ / "tree";
    job_.log = folder_ / "build.log";
    job_.flags.compile = {"-flto=thin"};
    job_.flags.link = {"-fuse-ld=lld"};
    job_.limit_s = 60;
    fs::create_directories(job_.tree);
  }
  void write(const std::string& name, const std::string& text, bool program = false) {
    const fs::path path = job_.source / name;
    fs::create_directories(path.parent_path());
    std::ofstream(path) << text;
    if (program) fs::permissions(path, fs::perms::owner_all);
  }
  Result<Built> build(const std::string& system) { return make_driver(system)->build(job_, os_); }
  std::vector<std::string> recorded() {
    return split(trim(os_.files->read(folder_ / "tools" / "record").value_or("")), '\n');
  }
  std::string log() { return os_.files->read(job_.log).value_or(""); }

  // A configure script that compiles a probe, and a Makefile that compiles and links.
  void make_autotools_project() {
    write(
        "configure",
        "#!/bin/sh\n$CC probe.c -o probe || exit 1\n"
        "printf 'all:\\n\\t%s -c a.c -o a.o\\n\\t%s a.o -o server\\n' \"$CC\" \"$CC\" > Makefile\n"
        "echo \"configured $* AR=$AR\"\n",
        true);
    write("a.c", "");
    job_.binary = "server";
    job_.configure = {"--with-x=a b"};
  }

  system::TemporaryFolder folder_;
  system::System os_ = system::real_system();
  Job job_;
};

TEST_F(DriversTest, AutotoolsProbesWithoutAndCompilesWithTheFlags) {
  make_autotools_project();
  const auto built = build("autotools");
  ASSERT_TRUE(built) << describe(built.error());
  EXPECT_EQ(built->binary, job_.tree / "server");
  EXPECT_GT(built->wall_s, 0);
  const std::vector<std::string> calls = recorded();
  ASSERT_EQ(calls.size(), 3U);
  EXPECT_EQ(calls[0], "clang [probe.c] [-o] [probe]");
  EXPECT_THAT(calls[1], HasSubstr("[-c] [a.c] [-o] [a.o] [-flto=thin]"));
  EXPECT_THAT(calls[1], Not(HasSubstr("-fuse-ld=lld")));
  EXPECT_THAT(calls[2], HasSubstr("[a.o] [-o] [server] [-flto=thin]"));
  EXPECT_THAT(calls[2], HasSubstr("[-fuse-ld=lld]"));
  EXPECT_THAT(log(), HasSubstr("configured --with-x=a b AR=/usr/bin/fake-ar"));
  EXPECT_THAT(log(), HasSubstr("./configure '--with-x=a b'"));  // the header of the step
  EXPECT_FALSE(fs::exists(job_.source / "Makefile"));           // the source is not written to
}

TEST_F(DriversTest, ABuildGoesOnWhereItWasCut) {
  make_autotools_project();
  ASSERT_TRUE(build("autotools"));
  fs::remove(job_.tree / "server");
  ASSERT_TRUE(build("autotools"));
  EXPECT_EQ(recorded().size(), 5U);  // configured once, made twice
  job_.configure = {"--other"};
  ASSERT_TRUE(build("autotools"));
  EXPECT_EQ(recorded().size(), 8U);  // configured again, since it is asked for something else
}

TEST_F(DriversTest, ObjectsOfWhoeverBuiltInTheSourceDoNotPassForBuilt) {
  make_autotools_project();
  write("config.status", "");
  write("Makefile", "distclean:\n\trm -f stale.o\n");
  write("stale.o", "");
  ASSERT_TRUE(build("autotools"));
  EXPECT_FALSE(fs::exists(job_.tree / "stale.o"));
  EXPECT_TRUE(fs::exists(job_.source / "stale.o"));
}

TEST_F(DriversTest, AFailureCarriesItsFirstErrorAndTheLog) {
  make_autotools_project();
  write("configure", "#!/bin/sh\necho checking\necho 'configure: error: no libev' >&2\nexit 3\n",
        true);
  const auto built = build("autotools");
  ASSERT_FALSE(built);
  EXPECT_EQ(built.error().kind, ErrorKind::kBuildFailed);
  EXPECT_EQ(built.error().what, "configuring failed (exit status 3): configure: error: no libev");
  EXPECT_EQ(built.error().log_file, job_.log.string());
}

TEST_F(DriversTest, AProjectWithoutConfigureIsNoAutotoolsProject) {
  write("a.c", "");
  job_.binary = "a";
  const auto built = build("autotools");
  ASSERT_FALSE(built);
  EXPECT_EQ(built.error().kind, ErrorKind::kBuildFailed);
  EXPECT_THAT(built.error().what, HasSubstr("neither a configure script nor a configure.ac"));
}

TEST_F(DriversTest, CustomLinesGetTheCompilerInTheEnvironment) {
  write("a.c", "");
  job_.binary = "bin/server";
  job_.jobs = 3;
  job_.env["WITH"] = "zlib";
  job_.commands = {"HONE_PROBING=1 $CC probe.c -o probe", "mkdir -p bin",
                   "$CXX a.c -o bin/server && echo $AR $JOBS $WITH ${CFLAGS-none}"};
  const auto built = build("custom");
  ASSERT_TRUE(built) << describe(built.error());
  EXPECT_EQ(recorded()[0], "clang [probe.c] [-o] [probe]");
  EXPECT_THAT(recorded()[1], HasSubstr("clang++ [a.c] [-o] [bin/server] [-flto=thin]"));
  EXPECT_THAT(log(), HasSubstr("/usr/bin/fake-ar 3 zlib none"));
}

TEST_F(DriversTest, ACustomLineThatFailsIsNamed) {
  write("a.c", "");
  job_.binary = "server";
  job_.commands = {"true", "echo 'a.c:1:1: error: bad'; false"};
  const auto built = build("custom");
  ASSERT_FALSE(built);
  EXPECT_THAT(built.error().what, HasSubstr("a.c:1:1: error: bad"));
  EXPECT_THAT(built.error().what, HasSubstr("the build command `echo"));
}

TEST_F(DriversTest, ABuildThatDoesNotEndIsStopped) {
  write("a.c", "");
  job_.binary = "server";
  job_.commands = {"sleep 600"};
  job_.limit_s = 0.1;
  const auto built = build("custom");
  ASSERT_FALSE(built);
  EXPECT_EQ(built.error().kind, ErrorKind::kTimeout);
}

TEST_F(DriversTest, AMisnamedBinaryIsLookedFor) {
  write("a.c", "");
  job_.binary = "server";
  job_.commands = {"mkdir deep && touch deep/server"};
  const auto built = build("custom");
  ASSERT_FALSE(built);
  EXPECT_EQ(built.error().kind, ErrorKind::kBuildFailed);
  EXPECT_EQ(built.error().next, "build.binary may be meant as deep/server");
}

TEST_F(DriversTest, APrebuiltProgramIsTakenAsItIsButNotRebuilt) {
  write("bin/server", "x", true);
  job_.binary = "bin/server";
  EXPECT_EQ(build("prebuilt").error().kind, ErrorKind::kRecipe);
  job_.flags.compile.clear();
  const auto built = build("prebuilt");
  ASSERT_TRUE(built) << describe(built.error());
  EXPECT_EQ(built->binary, job_.source / "bin/server");
  job_.binary = "bin/none";
  EXPECT_EQ(build("prebuilt").error().kind, ErrorKind::kNotFound);
}

TEST_F(DriversTest, EveryKnownSystemHasADriver) {
  for (const std::string& name : known_systems()) EXPECT_NE(make_driver(name), nullptr) << name;
  EXPECT_EQ(make_driver("bazel"), nullptr);
}

// CMake insists on a compiler that works, so this one needs a real one; any will do.
class CMakeTest : public DriversTest {
 protected:
  void SetUp() override {
    DriversTest::SetUp();
    for (const char* name : {"cmake", "ninja", "cc", "ar", "ranlib", "nm"}) {
      if (!os_.processes->find_program(name)) GTEST_SKIP() << name << " is not installed";
    }
    // Records its words like the fake one, then compiles.
    const std::string script =
        "#!/bin/sh\n{ printf cc; for w in \"$@\"; do printf ' [%s]' \"$w\"; "
        "done; echo; } >> '" +
        (folder_ / "tools" / "record").string() + "'\nexec cc \"$@\"\n";
    std::ofstream(folder_ / "tools" / "clang") << script;
    job_.tools.ar = *os_.processes->find_program("ar");
    job_.tools.ranlib = *os_.processes->find_program("ranlib");
    job_.tools.nm = *os_.processes->find_program("nm");
    job_.flags.compile = {"-DHONED"};
    job_.flags.link = {"-Wl,-O1"};
    write("CMakeLists.txt",
          "cmake_minimum_required(VERSION 3.5)\nproject(p C)\nadd_library(l STATIC l.c)\n"
          "add_executable(server main.c)\ntarget_link_libraries(server l)\n"
          "add_executable(other other.c)\n");
    write("l.c", "int l(void) { return 0; }\n");
    write("main.c",
          "int l(void);\n#ifndef HONED\n#error no flags\n#endif\nint main(void) { return l(); }\n");
    write("other.c", "#error not asked for\n");
    job_.target = "server";
    job_.binary = "server";
  }
};

TEST_F(CMakeTest, ProbesWithoutAndCompilesTheTargetWithTheFlags) {
  const auto built = build("cmake");
  ASSERT_TRUE(built) << describe(built.error()) << log();
  std::vector<std::string> probes, compiles;
  bool linked = false;
  for (const std::string& call : recorded()) {
    const bool ours = call.find("main.c") != std::string::npos;
    (ours ? compiles : probes).push_back(call);
    if (call.find("libl.a") != std::string::npos) {
      linked = true;
      EXPECT_THAT(call, HasSubstr("[-DHONED]"));
      EXPECT_THAT(call, HasSubstr("[-Wl,-O1]"));
    } else if (call.find("CMakeFiles/cmTC") != std::string::npos) {
      EXPECT_THAT(call, Not(HasSubstr("-DHONED")));
    }
  }
  EXPECT_TRUE(linked);
  ASSERT_FALSE(compiles.empty());
  EXPECT_THAT(compiles, Contains(HasSubstr("[-O3] [-DNDEBUG]")));
  EXPECT_THAT(probes, Contains(HasSubstr("cmTC")));
  EXPECT_FALSE(fs::exists(job_.source / "CMakeCache.txt"));
}

TEST_F(CMakeTest, GoesOnWithoutConfiguringAgain) {
  ASSERT_TRUE(build("cmake"));
  const std::size_t calls = recorded().size();
  // A newer project file would make CMake configure while compiling, with the flags in the probes.
  fs::last_write_time(job_.source / "CMakeLists.txt",
                      fs::file_time_type::clock::now() + std::chrono::hours(1));
  fs::remove(job_.tree / "server");
  ASSERT_TRUE(build("cmake"));
  EXPECT_EQ(recorded().size(), calls + 1);  // the link
}

TEST_F(CMakeTest, TheRecipesOwnWordsWin) {
  job_.configure = {"-DCMAKE_BUILD_TYPE=Debug", "-GUnix Makefiles"};
  const auto built = build("cmake");
  ASSERT_TRUE(built) << describe(built.error());
  EXPECT_TRUE(fs::exists(job_.tree / "Makefile"));
  EXPECT_THAT(log(), Not(HasSubstr("-DCMAKE_BUILD_TYPE=Release")));
}

TEST_F(CMakeTest, AnErrorInTheSourceIsQuotedWithFileAndLine) {
  job_.target = "other";
  const auto built = build("cmake");
  ASSERT_FALSE(built);
  EXPECT_EQ(built.error().kind, ErrorKind::kBuildFailed);
  EXPECT_THAT(built.error().what, HasSubstr("other.c:1:2: error: #error not asked for"));
}

}  // namespace
}  // namespace hone::build_systems
