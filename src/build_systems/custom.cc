// A build by shell lines of the recipe's own, in a copy of the source, with CC, CXX, AR, RANLIB, NM
// and JOBS in the environment. Flags come with the compiler; CFLAGS and its kin stay the project's.
// A line that probes the compiler says so itself: "HONE_PROBING=1 ./configure". After a cut all
// lines run again in the same tree, where make and its like go on from what is there.

#include <algorithm>

#include "build_systems/compiler_wrapper.h"
#include "build_systems/drivers.h"
#include "build_systems/source_files.h"
#include "build_systems/steps.h"

namespace hone::build_systems {
namespace {

class Custom final : public Driver {
 public:
  Result<Built> build(const Job& job, system::System& os) override {
    HONE_TRY(const Wrappers wrappers, write_wrappers(job, os));
    Steps steps(job, os);
    HONE_CHECK(copy_source(job, steps, os));
    Environment env = wrapper_environment(job);
    env.insert({{"CC", wrappers.cc.string()},
                {"CXX", wrappers.cxx.string()},
                {"AR", job.tools.ar},
                {"RANLIB", job.tools.ranlib},
                {"NM", job.tools.nm},
                {"JOBS", std::to_string(std::max(1, job.jobs))}});
    for (const std::string& line : job.commands) {
      HONE_CHECK(steps.run("the build command `" + line + "`", {"/bin/sh", "-e", "-c", line},
                           job.tree, env));
    }
    return steps.finish(job.tree / job.binary);
  }
};

}  // namespace

std::unique_ptr<Driver> make_custom() { return std::make_unique<Custom>(); }

}  // namespace hone::build_systems
