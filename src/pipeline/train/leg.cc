// The order in a leg: start, keep the start-up profile apart and set the counters to zero, load,
// write on demand while everything still lives, stop. Writing on demand comes before stopping
// because stopping is the one step that loses profiles: servers end by _exit, by a default SIGTERM,
// or by a master that kills its workers. What the stop adds is a further part, merged with the
// rest.
#include "pipeline/train/leg.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "base/units.h"
#include "flush/flush.h"
#include "pipeline/profdata/raw_profile.h"
#include "pipeline/train/external_load.h"
#include "pipeline/train/flush_control.h"
#include "pipeline/train/judge_leg.h"

namespace hone::pipeline {
namespace {

// The load comes in pieces of this length: progress is shown, and a dead subject seen, once a
// second.
constexpr double kPieceS = 1;

// Everyone may write: a server that gives up its rights writes its profile as somebody else. The
// sticky bit keeps them from each other's files.
constexpr int kProfileFolderMode = 01777;

class RunningLeg {
 public:
  RunningLeg(const LegSpec& spec, const Profdata& profdata, system::System& system,
             Observer& observer)
      : spec_(spec), profdata_(profdata), system_(system), observer_(observer) {}

  Result<LegOutcome> run(system::net::LoopThread* thread, traffic::load::LoadSession* load) {
    HONE_CHECK(prepare());
    HONE_TRY(session_, subject::Session::start(session_spec(), system_, thread, load));
    flush_.emplace(
        profile_folder(), system_.files.get(), system_.clock.get(),
        [this] { return session_->processes(); },
        [this](const std::vector<pid_t>& pids, int number) {
          return system_.processes->signal(pids, number);
        });
    if (Status status = train(); !status) {
      Error error = std::move(status).error();
      // A connection that broke is the lesser news when the subject is gone.
      if (error.kind == ErrorKind::kNetwork) HONE_CHECK(session_->check_alive());
      if (error.log_file.empty()) error.log_file = session_->log().string();
      return tl::make_unexpected(std::move(error));
    }
    return std::move(outcome_);
  }

 private:
  system::Path profile_folder() const { return spec_.folder / "profiles"; }

  Status prepare() {
    HONE_CHECK(system_.files->make_directories(profile_folder(), kProfileFolderMode));
    HONE_CHECK(system_.files->set_mode(profile_folder(), kProfileFolderMode));  // past the umask
    HONE_CHECK(system_.files->make_directories(spec_.folder / "start-up"));
    if (spec_.server.user.empty()) return {};
    HONE_CHECK(check_access("-w", profile_folder().string(), "write into"));
    return check_access("-r", spec_.flush_library, "read");
  }

  // A folder on the way that is closed to the subject's user would only show as a missing profile.
  Status check_access(const std::string& test, const std::string& path, const std::string& what) {
    system::Command command;
    command.argv = {"test", test, path};
    command.user = spec_.server.user;
    HONE_TRY(const system::Exit exit, system_.processes->run(command));
    if (exit.ok()) return {};
    return fail(ErrorKind::kPermission,
                "user " + spec_.server.user + ", who runs the subject, cannot " + what + " " + path,
                "work in a folder that this user can enter, such as one under /var/tmp");
  }

  subject::SessionSpec session_spec() const {
    subject::SessionSpec session;
    session.name = "leg " + spec_.shape.name;
    session.server = spec_.server;
    session.binary = spec_.binary;
    session.shape = spec_.shape;
    session.run_dir = spec_.folder / "run";
    session.server_cpus = spec_.server_cpus;
    session.connections = spec_.connections;
    session.streams = spec_.streams;
    const auto own = spec_.server.env.find("LD_PRELOAD");
    session.env["LD_PRELOAD"] =
        spec_.flush_library + (own == spec_.server.env.end() ? "" : ":" + own->second);
    session.env[HONE_FLUSH_DIR] = profile_folder().string();
    // For a program that the library is not loaded into; the library sets its own names.
    session.env["LLVM_PROFILE_FILE"] = (profile_folder() / "exit-%p-%m.profraw").string();
    return session;
  }

  Status train() {
    HONE_CHECK(begin());
    if (!spec_.shape.generator) HONE_CHECK(session_->connect());
    HONE_TRY(const auto before, system_.process_table->usage(session_->tree_root()));
    const auto started = system_.clock->now();
    HONE_CHECK(spec_.shape.generator ? load_by_command() : load());
    outcome_.wall_s = system::to_seconds(system_.clock->now() - started);
    HONE_TRY(const auto after, system_.process_table->usage(session_->tree_root()));
    outcome_.cpu_us_per_request = static_cast<double>(after.cpu_ns - before.cpu_ns) * 1e-3 /
                                  static_cast<double>(outcome_.requests);
    HONE_CHECK(end());
    return collect();
  }

  Status begin() {
    HONE_TRY(const FlushControl::Served served, flush_->wait_until_served());
    folder_.program = spec_.binary;
    folder_.ready = served.ready;
    folder_.refusals = flush_->refusals();
    if (served.ready.empty()) return judge_profiles(folder_);
    if (!served.silent.empty()) {
      note({"train.unserved-process", "warning",
            "leg " + spec_.shape.name + ": " + std::to_string(served.silent.size()) +
                " processes of the subject did not load the profile library",
            "their profile is written only if they end by exit(); static or set-user-id programs "
            "cannot be preloaded: link libhone_flush.a into them"});
    }
    HONE_CHECK(flush_->reset(served.ready));
    folder_.served = served.ready;
    // Also of processes that have ended by now: a parent that went into the background.
    start_up_ = flush_->profiles();
    return {};
  }

  Status load_by_command() {
    const subject::Generator& generator = *spec_.shape.generator;
    ExternalLoad external;
    // Whole seconds, for that is what h2load and wrk take.
    HONE_TRY(
        external.command,
        session_->fill_words(generator.command,
                             {{"seconds", std::to_string(std::lround(std::ceil(spec_.leg_s)))}}));
    external.seconds = spec_.leg_s;
    external.cpus = spec_.load_cpus;
    external.log = spec_.folder / "generator.log";
    HONE_TRY(
        outcome_.requests, run_external_load(external, generator, system_, [this](double done) {
          observer_.progress("leg " + spec_.shape.name, std::min(done, spec_.leg_s), spec_.leg_s);
        }));
    return {};
  }

  Status load() {
    traffic::load::SliceResult sum;
    double done = 0;
    for (std::uint64_t piece = 1; done < spec_.leg_s; ++piece) {
      observer_.progress("leg " + spec_.shape.name, done, spec_.leg_s);
      traffic::load::SliceSpec slice;
      slice.duration_s = std::min(kPieceS, spec_.leg_s - done);
      slice.closed_loop = spec_.rate <= 0;
      if (spec_.rate > 0) slice.rate = spec_.rate;
      slice.seed = piece;
      HONE_TRY(const auto result, session_->slice(slice));
      traffic::load::merge(&sum, result);
      done += slice.duration_s;
      // The first second of wrong answers is enough.
      HONE_CHECK(judge_answers(sum));
    }
    observer_.progress("leg " + spec_.shape.name, spec_.leg_s, spec_.leg_s);
    outcome_.requests = sum.ok;
    return {};
  }

  Status end() {
    HONE_CHECK(session_->check_alive());
    HONE_TRY(const FlushControl::Served served, flush_->wait_until_served());
    HONE_CHECK(flush_->write(served.ready));
    for (const pid_t pid : served.ready) {
      const auto& known = folder_.served;
      if (std::find(known.begin(), known.end(), pid) == known.end()) folder_.served.push_back(pid);
    }
    folder_.ready = flush_->ready();
    const std::set<std::string> written = flush_->profiles();
    Status stopped = session_->stop();
    if (stopped) {
      usable_ = flush_->profiles();
      return {};
    }
    if (stopped.error().kind != ErrorKind::kTimeout) return stopped;
    note({"train.killed", "warning", "leg " + spec_.shape.name + ": " + stopped.error().what,
          stopped.error().next});
    // It was killed, perhaps while writing one part more; what was acknowledged before is whole.
    usable_ = written;
    return {};
  }

  Status collect() {
    HONE_CHECK(system_.files->set_mode(profile_folder(), 0755));  // nobody writes any more
    for (const std::string& name : usable_) {
      ProfileFile file = parse_profile_name(name);
      file.start_up = file.start_up || start_up_.contains(name);
      HONE_TRY(const std::string bytes, system_.files->read(profile_folder() / name));
      const auto profile = read_raw_profile(bytes, (profile_folder() / name).string());
      if (!profile) file.problem = profile.error().what;
      folder_.files.push_back(std::move(file));
    }
    folder_.refusals = flush_->refusals();
    HONE_CHECK(judge_profiles(folder_));
    for (const ProfileFile& file : folder_.files) HONE_CHECK(count(file));
    if (outcome_.total_count == 0) {
      return fail(ErrorKind::kLegFailed,
                  "its profiles hold no counts: no instrumented code ran under the load",
                  "check that [build] binary is the program that answers");
    }
    return {};
  }

  Status count(const ProfileFile& file) {
    const std::string place = (file.start_up ? "start-up/" : "profiles/") + file.name;
    if (file.start_up) {
      HONE_CHECK(system_.files->rename(profile_folder() / file.name, spec_.folder / place));
    }
    HONE_TRY(const ProfileSummary summary, profdata_.summary(spec_.folder / place));
    (file.start_up ? outcome_.start_up : outcome_.profiles).push_back(place);
    (file.start_up ? outcome_.start_up_count : outcome_.total_count) += summary.total_count;
    return {};
  }

  void note(Finding finding) {
    observer_.finding(finding);
    outcome_.findings.push_back(std::move(finding));
  }

  const LegSpec& spec_;
  const Profdata& profdata_;
  system::System& system_;
  Observer& observer_;
  std::unique_ptr<subject::Session> session_;
  std::optional<FlushControl> flush_;
  std::set<std::string> start_up_, usable_;
  ProfileFolder folder_;
  LegOutcome outcome_;
};

}  // namespace

Result<LegOutcome> run_leg(const LegSpec& spec, const Profdata& profdata, system::System& system,
                           system::net::LoopThread* thread, traffic::load::LoadSession* load,
                           Observer& observer) {
  return RunningLeg(spec, profdata, system, observer).run(thread, load);
}

}  // namespace hone::pipeline
