// One request at a time makes the count repeatable: how many a server takes from one wake depends
// on its speed, and under callgrind that is not its own.
#include "pipeline/prove/simulate.h"

#include <fmt/format.h>

#include "base/text.h"
#include "pipeline/prove/arm_session.h"

namespace hone::pipeline {
namespace {

// The first requests fill caches and pools. At 20 to 100 times its own time (valgrind's manual), a
// request of 20 us takes one or two milliseconds: a stretch has a thousand of them.
constexpr double kSimulatedWarmS = 1;
constexpr double kStretchS = 2;
// Of the limits for starting and ending; they are generous already.
constexpr double kPatience = 10;

struct Counted {
  measure::CallgrindRun run;
  double requests = 0;
};

Arm under_callgrind(Arm arm, const system::Path& valgrind, const system::Path& output) {
  std::vector<std::string> command;
  for (const std::string& word : measure::callgrind_words(valgrind, output)) {
    command.push_back(replace_all(replace_all(word, "{", "{{"), "}", "}}"));
  }
  subject::ServerSpec& server = arm.server;
  command.insert(command.end(), server.command.begin(), server.command.end());
  server.command = std::move(command);
  server.ready.limit_s *= kPatience;
  server.stop.limit_s *= kPatience;
  return arm;
}

class SimulatedArm {
 public:
  SimulatedArm(const Design& design, const Arm& arm, const subject::Shape& shape,
               const system::Path& folder, Rig& rig, system::System& system)
      : design_(design), arm_(arm), shape_(shape), folder_(folder), rig_(rig), system_(system) {
    design_.settings.connections = design_.settings.streams = 1;
  }

  Result<Simulated> run(const system::Path& valgrind) {
    Simulated simulated{arm_.name, shape_.name, 0, {}, ""};
    HONE_TRY(const Counted fewer, count(valgrind, kStretchS));
    HONE_TRY(const Counted more, count(valgrind, 2 * kStretchS));
    HONE_TRY(simulated.per_request,
             measure::per_request(fewer.run, fewer.requests, more.run, more.requests));
    simulated.requests = more.requests - fewer.requests;
    return simulated;
  }

 private:
  Result<Counted> count(const system::Path& valgrind, double stretch_s) {
    const system::Path output = folder_ / "callgrind";
    HONE_CHECK(system_.files->remove_all(output));
    HONE_CHECK(system_.files->make_directories(output));
    // For workers that give up root; past the umask.
    HONE_CHECK(system_.files->set_mode(output, 01777));
    HONE_TRY(const auto session, start_arm(design_, under_callgrind(arm_, valgrind, output), 0,
                                           shape_, folder_, rig_, system_));
    HONE_CHECK(session->connect());
    Counted counted;
    for (const double duration_s : {kSimulatedWarmS, stretch_s}) {
      HONE_TRY(const double requests, answered(*session, duration_s));
      counted.requests += requests;
    }
    HONE_CHECK(session->stop());
    HONE_TRY(counted.run, measure::read_callgrind(*system_.files, output));
    return counted;
  }

  static Result<double> answered(subject::Session& session, double duration_s) {
    traffic::load::SliceSpec slice;
    slice.closed_loop = true;
    slice.duration_s = duration_s;
    HONE_TRY(const auto result, session.slice(slice));
    if (result.ok == 0 || result.ok != result.sent) {
      return fail(
          ErrorKind::kNotFound,
          fmt::format("under callgrind, {} of {} requests were answered", result.ok, result.sent));
    }
    return static_cast<double>(result.ok);
  }

  Design design_;
  const Arm& arm_;
  const subject::Shape& shape_;
  system::Path folder_;
  Rig& rig_;
  system::System& system_;
};

}  // namespace

Result<Simulated> simulate_arm(const Design& design, const Arm& arm, const subject::Shape& shape,
                               const system::Path& folder, Rig& rig, system::System& system) {
  Simulated without{arm.name, shape.name, 0, {}, ""};
  const auto valgrind = system.processes->find_program("valgrind");
  if (!valgrind) {
    without.unavailable = "not available here: valgrind is missing (apt-get install valgrind)";
    return without;
  }
  auto simulated = SimulatedArm(design, arm, shape, folder, rig, system).run(*valgrind);
  if (simulated) return simulated;
  const Error& error = simulated.error();
  if (error.kind == ErrorKind::kInterrupted) return simulated;
  // The proof stands without it. A log's last lines may follow the first one.
  without.unavailable = "not counted: " + error.what.substr(0, error.what.find('\n'));
  return without;
}

}  // namespace hone::pipeline
