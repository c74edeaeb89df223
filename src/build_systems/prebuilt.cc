// Nothing is built: the binary is there, at an absolute path or inside the source folder. Flags
// cannot reach it, so a job that brings compile flags is refused.

#include "build_systems/drivers.h"

namespace hone::build_systems {
namespace {

class Prebuilt final : public Driver {
 public:
  Result<Built> build(const Job& job, system::System& os) override {
    if (!job.flags.compile.empty()) {
      return fail(
          ErrorKind::kRecipe, "build.system = \"prebuilt\" cannot be compiled with other flags",
          "name the system that builds it (cmake, autotools, custom), or use `hone compare` "
          "for two binaries that are there already");
    }
    Built built;
    built.binary = job.source / job.binary;  // job.binary alone when that is absolute
    if (!os.files->exists(built.binary) || os.files->is_directory(built.binary)) {
      return fail(ErrorKind::kNotFound, "no program at " + built.binary.string(),
                  "set build.binary to a path, absolute or inside source.path");
    }
    return built;
  }
};

}  // namespace

std::unique_ptr<Driver> make_prebuilt() { return std::make_unique<Prebuilt>(); }

}  // namespace hone::build_systems
