// For the tests of the flush library: servers in a folder of their own, and what llvm-profdata
// reads of them afterwards.
#pragma once

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <regex>
#include <string>
#include <vector>

#include "flush/commanded_server.h"
#include "flush/flush.h"
#include "flush/instrumented_programs.h"

namespace hone::flush {

class FlushTest : public testing::Test {
 protected:
  void SetUp() override {
    if (std::system("clang-22 --version >/dev/null 2>&1") != 0) {
      GTEST_SKIP() << "clang-22 is not installed: nothing to build instrumented servers with";
    }
    ASSERT_TRUE(programs().built);
    signal(SIGPIPE, SIG_IGN);  // a server that ended is a failed answer, not the test's end
    char name[] = "/tmp/hone-flush-test-XXXXXX";
    folder_ = mkdtemp(name);
    chmod(folder_.c_str(), 01777);
  }

  void TearDown() override { fs::remove_all(folder_); }

  Server start(const fs::path& program) { return Server(program, folder_, true); }
  Server start() { return start(programs().server); }
  Server start_unprotected() { return Server(programs().server, folder_, false); }

  std::string marker(pid_t pid, const std::string& suffix) const {
    return read_text(folder_ / (std::to_string(pid) + suffix));
  }
  bool has(pid_t pid, const std::string& suffix) const {
    return fs::exists(folder_ / (std::to_string(pid) + suffix));
  }

  // Profiles whose name matches, by default all but those of start-up.
  std::vector<fs::path> profiles(const std::string& pattern = "[0-9].*") const {
    std::vector<fs::path> found;
    for (const auto& entry : fs::directory_iterator(folder_)) {
      const std::string name = entry.path().filename().string();
      if (name.ends_with(".profraw") && std::regex_match(name, std::regex(pattern))) {
        found.push_back(entry.path());
      }
    }
    return found;
  }
  std::vector<fs::path> profiles_of(pid_t pid) const {
    return profiles(std::to_string(pid) + "[.-].*");
  }
  std::vector<fs::path> startup_profiles() const { return profiles("startup-.*"); }

  // How often `function` was entered, over these profiles; nothing when none can be read.
  std::optional<long> count(const std::vector<fs::path>& files,
                            const std::string& function = "turn") const {
    if (files.empty()) return std::nullopt;
    std::string merge = "llvm-profdata-22 merge -o " + (folder_ / "merged").string();
    for (const fs::path& file : files) {
      if (fs::file_size(file) == 0) return std::nullopt;
      merge += " " + file.string();
    }
    if (!run(merge)) return std::nullopt;
    const std::string shown = output_of("llvm-profdata-22 show --counts --function=" + function +
                                        " " + (folder_ / "merged").string());
    // "    Block counts: [100]" under "  turn:"
    std::smatch match;
    const std::regex block("\n  " + function + ":[^\\[]*Block counts: \\[([0-9]+)\\]");
    if (!std::regex_search(shown, match, block)) return 0;
    return std::stol(match[1]);
  }
  std::optional<long> count() const { return count(profiles()); }

  // Sends a request and waits for the n-th acknowledgement of its kind.
  std::string request(pid_t pid, int number, const std::string& suffix, int n = 1) {
    EXPECT_TRUE(eventually([&] { return has(pid, ".ready"); }));
    kill(pid, number);
    const std::string name = suffix + std::to_string(n);
    EXPECT_TRUE(eventually([&] { return has(pid, name); })) << name;
    return marker(pid, name);
  }
  std::string request_write(pid_t pid, int n = 1) {
    return request(pid, HONE_FLUSH_WRITE_SIGNAL, HONE_FLUSH_WRITTEN_SUFFIX, n);
  }
  std::string request_reset(pid_t pid, int n = 1) {
    return request(pid, HONE_FLUSH_RESET_SIGNAL, HONE_FLUSH_RESET_SUFFIX, n);
  }

  fs::path folder_;
};

}  // namespace hone::flush
