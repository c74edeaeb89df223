#include "build_systems/first_error.h"

#include <gtest/gtest.h>

namespace hone::build_systems {
namespace {

TEST(FirstError, IsTheCompilersAndNotTheBuildToolsOwn) {
  EXPECT_EQ(first_error("[1/9] Building a.o\n"
                        "FAILED: a.o\n"
                        "/usr/bin/cc -Werror -c a.cc\n"
                        "../a.cc:3:5: error: use of undeclared identifier 'x'\n"
                        "../a.cc:9:1: error: expected '}'\n"
                        "ninja: build stopped: subcommand failed.\n")
                .text,
            "../a.cc:3:5: error: use of undeclared identifier 'x'");
}

TEST(FirstError, IsTheLinkersAndNotTheDriversSummary) {
  EXPECT_EQ(first_error("ld.lld: error: undefined symbol: SSL_new\n"
                        ">>> referenced by a.o\n"
                        "clang++-22: error: linker command failed with exit code 1\n")
                .text,
            "ld.lld: error: undefined symbol: SSL_new");
  EXPECT_EQ(first_error("a.o: in function `main':\na.c:(.text+0x5): undefined reference to `f'\n"
                        "collect2: error: ld returned 1 exit status\n")
                .text,
            "a.c:(.text+0x5): undefined reference to `f'");
}

TEST(FirstError, TakesTheLineBelowACMakeHeading) {
  EXPECT_EQ(first_error("-- Detecting C\n"
                        "CMake Error at CMakeLists.txt:226 (message):\n"
                        "  Applications were requested but dependencies are not met.\n\n"
                        "-- Configuring incomplete, errors occurred!\n")
                .text,
            "CMake Error at CMakeLists.txt:226 (message): Applications were requested but "
            "dependencies are not met.");
}

TEST(FirstError, KnowsConfigureMakeAndTheShell) {
  EXPECT_EQ(first_error("checking for errors... no\nconfigure: error: libev not found\n").text,
            "configure: error: libev not found");
  EXPECT_EQ(first_error("make: *** No rule to make target 'x'.  Stop.\n").text,
            "make: *** No rule to make target 'x'.  Stop.");
  EXPECT_EQ(first_error("sh: 1: scons: not found\n").text, "sh: 1: scons: not found");
  EXPECT_EQ(first_error("ninja: error: unknown target 'nghttpy', did you mean 'nghttpx'?\n").text,
            "ninja: error: unknown target 'nghttpy', did you mean 'nghttpx'?");
}

TEST(FirstError, FallsBackOnWhatReportsAFailureAndThenOnTheLastLine) {
  EXPECT_EQ(first_error("cc -c a.c\nmake[1]: *** [Makefile:3: a.o] Error 1\nmake: *** x\n").text,
            "make[1]: *** [Makefile:3: a.o] Error 1");
  EXPECT_EQ(first_error("one\ntwo\n\n").text, "two");
  EXPECT_EQ(first_error("").text, "");
}

TEST(FirstError, AFullDiskIsTheCauseWhateverElseIsSaid) {
  const FirstError error = first_error(
      "a.cc:1:1: error: unable to open output file 'a.o'\n"
      "LLVM ERROR: IO failure on output stream: No space left on device\n");
  EXPECT_TRUE(error.disk_full);
  EXPECT_EQ(error.text, "LLVM ERROR: IO failure on output stream: No space left on device");
}

TEST(FirstError, IsPlainAndShort) {
  EXPECT_EQ(first_error("\033[1ma.c:1:2: \033[0;1;31merror: \033[0mbad\r\n").text,
            "a.c:1:2: error: bad");
  EXPECT_LT(first_error("x.cc:1:1: error: " + std::string(100'000, 'T')).text.size(), 400U);
}

}  // namespace
}  // namespace hone::build_systems
