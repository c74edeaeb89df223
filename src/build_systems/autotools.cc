// Autotools, and every project with a configure script and a Makefile. The build runs in a copy of
// the source, in place: that works for all of them, while building beside the source fails with
// many a hand-written configure and with a source tree that its owner has configured already.
//
// `configure` sees the wrapper as compiler while it passes flags through unchanged: instrumented
// probes break libtool's search for a symbol pipe and leave stray profiles. make then runs without
// that, and may not configure again meanwhile (config.status would be older than its sources only
// if the copy had lost its times, which tar keeps).

#include <algorithm>

#include "base/text.h"
#include "build_systems/compiler_wrapper.h"
#include "build_systems/drivers.h"
#include "build_systems/source_files.h"
#include "build_systems/steps.h"

namespace hone::build_systems {
namespace {

Status make_configure_script(const Job& job, Steps& steps, const Environment& probing,
                             system::System& os) {
  if (os.files->exists(job.tree / "configure")) return {};
  const bool autoconf =
      os.files->exists(job.tree / "configure.ac") || os.files->exists(job.tree / "configure.in");
  if (!autoconf) {
    return fail(ErrorKind::kBuildFailed,
                job.source.string() + " has neither a configure script nor a configure.ac",
                "set build.system to \"cmake\" or \"custom\"", job.log.string());
  }
  if (!os.processes->find_program("autoreconf")) {
    return fail(ErrorKind::kToolMissing,
                job.source.string() + " has no configure script, and autoreconf is not installed",
                "sudo apt-get install autoconf automake libtool");
  }
  return steps.run("making the configure script", {"autoreconf", "-i"}, job.tree, probing);
}

class Autotools final : public Driver {
 public:
  Result<Built> build(const Job& job, system::System& os) override {
    if (!os.processes->find_program("make")) {
      return fail(ErrorKind::kToolMissing, "make is not installed", "sudo apt-get install make");
    }
    HONE_TRY(const Wrappers wrappers, write_wrappers(job, os));
    Steps steps(job, os);
    HONE_CHECK(copy_source(job, steps, os));
    const std::vector<std::string> variables = {
        "CC=" + wrappers.cc.string(), "CXX=" + wrappers.cxx.string(), "AR=" + job.tools.ar,
        "RANLIB=" + job.tools.ranlib, "NM=" + job.tools.nm};
    HONE_CHECK(configure(job, steps, variables, os));

    std::vector<std::string> make = {"make", "-j" + std::to_string(std::max(1, job.jobs))};
    for (std::string& target : split_words(job.target)) make.push_back(std::move(target));
    HONE_CHECK(steps.run("compiling", make, job.tree, wrapper_environment(job)));
    return steps.finish(job.tree / job.binary);
  }

 private:
  static Status configure(const Job& job, Steps& steps, const std::vector<std::string>& variables,
                          system::System& os) {
    std::vector<std::string> words = {"./configure"};
    words.insert(words.end(), job.configure.begin(), job.configure.end());
    // In the environment and not as words: a hand-written configure may refuse what it does not
    // know.
    Environment probing = probing_environment(job);
    for (const std::string& variable : variables) {
      const std::size_t equals = variable.find('=');
      probing.emplace(variable.substr(0, equals), variable.substr(equals + 1));
    }
    const std::string done = shell_join(words) + " with " + shell_join(variables);
    if (steps.done("configure", done)) return {};
    // Objects of whoever built in the source folder would pass for up to date.
    if (os.files->exists(job.tree / "config.status") && !steps.done("configure-begun", done)) {
      HONE_CHECK(steps.try_to_run("cleaning the copy", {"make", "distclean"}, job.tree, probing));
    }
    HONE_CHECK(steps.mark("configure-begun", done));
    HONE_CHECK(make_configure_script(job, steps, probing, os));
    HONE_CHECK(steps.run("configuring", words, job.tree, probing));
    return steps.mark("configure", done);
  }
};

}  // namespace

std::unique_ptr<Driver> make_autotools() { return std::make_unique<Autotools>(); }

}  // namespace hone::build_systems
