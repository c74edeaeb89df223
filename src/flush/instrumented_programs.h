// For the tests of the flush library: programs built with clang's -fprofile-generate, and what it
// takes to make and read them.
#pragma once

#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>

namespace hone::flush {

namespace fs = std::filesystem;

constexpr auto kLimit = std::chrono::seconds(20);  // of every wait; a test that meets it has failed

inline std::string read_text(const fs::path& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

inline std::string output_of(const std::string& command) {
  FILE* pipe = popen(command.c_str(), "r");
  std::string text;
  char buffer[4096];
  for (std::size_t n = 0; (n = fread(buffer, 1, sizeof(buffer), pipe)) > 0;) text.append(buffer, n);
  pclose(pipe);
  return text;
}

inline bool run(const std::string& command) {
  const std::string quiet = " >/tmp/hone-flush-test-log." + std::to_string(getpid()) + " 2>&1";
  return std::system((command + quiet).c_str()) == 0;
}

template <typename Condition>
bool eventually(Condition condition) {
  const auto end = std::chrono::steady_clock::now() + kLimit;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return true;
}

// The programs, built once.
struct Programs {
  fs::path folder;
  fs::path server, stripped, collected, plain, still, plugin;
  bool built = false;
};

inline const Programs& programs() {
  static const Programs once = [] {
    Programs p;
    char name[] = "/tmp/hone-flush-test-XXXXXX";
    p.folder = mkdtemp(name);
    const std::string source = std::string(HONE_TEST_SERVERS) + "/";
    const std::string compile = "clang-22 -O1 -fprofile-generate -fprofile-update=atomic ";
    p.server = p.folder / "server";
    p.stripped = p.folder / "stripped";
    p.collected = p.folder / "collected";
    p.plain = p.folder / "plain";
    p.still = p.folder / "static";
    p.plugin = p.folder / "plugin.so";
    const std::string archive = HONE_FLUSH_ARCHIVE;
    p.built =
        run(compile + source + "commanded.c -o " + p.server.string()) &&
        run("cp " + p.server.string() + " " + p.stripped.string()) &&
        run("strip " + p.stripped.string()) &&
        run(compile + "-Wl,--gc-sections " + source + "commanded.c -o " + p.collected.string()) &&
        run("clang-22 -O1 " + source + "commanded.c -o " + p.plain.string()) &&
        run(compile + "-static -w " + source + "commanded.c -o " + p.still.string() +
            " -Wl,--whole-archive " + archive + " -Wl,--no-whole-archive @" +
            fs::path(archive).replace_extension(".wrap").string()) &&
        run(compile + "-fPIC -shared " + source + "plugin.c -o " + p.plugin.string());
    return p;
  }();
  return once;
}

}  // namespace hone::flush
