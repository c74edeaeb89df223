// CMake: configured once with the wrapper as compiler, while it passes flags through unchanged, so
// that every probe sees the plain compiler; then built with it. CMake may not configure again while
// building (it would probe with the flags), hence CMAKE_SUPPRESS_REGENERATION. The archiver is
// LLVM's, which can index bitcode. What the recipe's configure says comes last and wins.

#include <algorithm>

#include "base/text.h"
#include "build_systems/compiler_wrapper.h"
#include "build_systems/drivers.h"
#include "build_systems/steps.h"

namespace hone::build_systems {
namespace {

bool given(const Job& job, const std::string& start) {
  return std::any_of(job.configure.begin(), job.configure.end(),
                     [&](const std::string& word) { return word.rfind(start, 0) == 0; });
}

std::vector<std::string> configure_words(const Job& job, const Wrappers& wrappers,
                                         system::System& os) {
  std::vector<std::string> words = {"cmake", "-S", job.source.string(), "-B", job.tree.string()};
  if (!given(job, "-G")) {
    const bool ninja = os.processes->find_program("ninja").has_value();
    words.insert(words.end(), {"-G", ninja ? "Ninja" : "Unix Makefiles"});
  }
  if (!given(job, "-DCMAKE_BUILD_TYPE")) words.push_back("-DCMAKE_BUILD_TYPE=Release");
  const toolchain::Toolchain& tools = job.tools;
  for (const auto& [variable, value] : std::vector<std::pair<std::string, std::string>>{
           {"CMAKE_C_COMPILER", wrappers.cc.string()},
           {"CMAKE_CXX_COMPILER", wrappers.cxx.string()},
           {"CMAKE_AR", tools.ar},
           {"CMAKE_RANLIB", tools.ranlib},
           {"CMAKE_NM", tools.nm},
           // Used in place of the above where a project asks for interprocedural optimization.
           {"CMAKE_C_COMPILER_AR", tools.ar},
           {"CMAKE_CXX_COMPILER_AR", tools.ar},
           {"CMAKE_C_COMPILER_RANLIB", tools.ranlib},
           {"CMAKE_CXX_COMPILER_RANLIB", tools.ranlib},
           {"CMAKE_SUPPRESS_REGENERATION", "ON"}}) {
    words.push_back("-D" + variable + "=" + value);
  }
  words.insert(words.end(), job.configure.begin(), job.configure.end());
  return words;
}

class CMake final : public Driver {
 public:
  Result<Built> build(const Job& job, system::System& os) override {
    if (!os.processes->find_program("cmake")) {
      return fail(ErrorKind::kToolMissing, "cmake is not installed",
                  "sudo apt-get install cmake ninja-build");
    }
    HONE_TRY(const Wrappers wrappers, write_wrappers(job, os));
    Steps steps(job, os);
    const std::vector<std::string> configure = configure_words(job, wrappers, os);
    const Environment probing = probing_environment(job);
    if (!steps.done("configure", shell_join(configure))) {
      HONE_CHECK(steps.run("configuring with CMake", configure, job.tree, probing));
      HONE_CHECK(steps.mark("configure", shell_join(configure)));
    }
    std::vector<std::string> build = {"cmake", "--build", job.tree.string(), "-j",
                                      std::to_string(std::max(1, job.jobs))};
    if (!job.target.empty()) {
      build.push_back("--target");
      for (std::string& target : split_words(job.target)) build.push_back(std::move(target));
    }
    HONE_CHECK(steps.run("compiling", build, job.tree, wrapper_environment(job)));
    return steps.finish(job.tree / job.binary);
  }
};

}  // namespace

std::unique_ptr<Driver> make_cmake() { return std::make_unique<CMake>(); }

}  // namespace hone::build_systems
