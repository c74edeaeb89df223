#include "pipeline/prove/arm_session.h"

namespace hone::pipeline {

Result<std::unique_ptr<subject::Session>> start_arm(const Design& design, const Arm& arm,
                                                    std::size_t place, const subject::Shape& shape,
                                                    const system::Path& folder, Rig& rig,
                                                    system::System& system) {
  const system::Path arm_folder = folder / ("arm" + std::to_string(place));
  HONE_CHECK(system.files->remove_all(arm_folder));
  HONE_CHECK(system.files->make_directories(arm_folder / "run"));
  subject::SessionSpec spec;
  spec.name = design.subject + " (arm " + arm.name + ", " + arm.variant + ")";
  spec.server = arm.server;
  if (!arm.binary.empty()) {
    const system::Path copy = arm_folder / "server";
    HONE_CHECK(system.files->copy(arm.binary, copy));
    spec.binary = copy.string();
  }
  spec.shape = shape;
  spec.run_dir = arm_folder / "run";
  spec.server_cpus = design.server_cpus;
  spec.connections = design.settings.connections * arm.server.workers;
  spec.streams = design.settings.streams;
  spec.with_origin = design.with_origin;
  spec.hosts = design.settings.hosts;
  spec.load_cpus = design.load_cpus;
  spec.url = arm.url;
  return subject::Session::start(spec, system, rig.thread.get(), rig.load.get());
}

}  // namespace hone::pipeline
