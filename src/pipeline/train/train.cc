// A leg's fingerprint holds what the traffic and the counters depend on, and nothing else: neither
// the shape's name nor its share (weights are applied when merging) nor anything of the proof.
//
// Start-up is one leg, summed over all processes that were started: shapes may start the subject
// with different configurations, and each start is a real one. It weighs as `requests` starts.
#include "pipeline/train/train.h"

#include <filesystem>
#include <numeric>

#include "base/text.h"
#include "base/units.h"
#include "pipeline/train/leg.h"
#include "system/interrupt.h"
#include "system/net/loop.h"
#include "traffic/load/load_session.h"

namespace hone::pipeline {
namespace {

const char kLegKind[] = "leg";
const char kStage[] = "3-train";

// Raised when what a leg does changes, so that older ones in a store are not taken for new ones.
constexpr int kLegVersion = 1;

std::vector<subject::Shape> trained_shapes(const Recipe& recipe, const Plan& plan) {
  std::vector<subject::Shape> shapes;
  for (const std::string& name : plan.train_shapes) {
    for (const subject::Shape& shape : recipe.shapes) {
      if (shape.name == name) shapes.push_back(shape);
    }
  }
  return shapes;
}

// Each of these would otherwise show as a profile that is silently not there.
Status check_paths(const system::Path& root, const std::string& flush_library,
                   const system::Files& files) {
  if (!files.exists(flush_library)) {
    return fail(ErrorKind::kNotFound, "the profile library " + flush_library + " is not there",
                "install hone whole: libhone_flush.so belongs beside its binary");
  }
  if (flush_library.find_first_of(" :") != std::string::npos) {
    return fail(ErrorKind::kUsage,
                "the profile library's path has a blank or a colon, which LD_PRELOAD splits at: " +
                    flush_library,
                "install hone in a folder without them");
  }
  if (root.string().find_first_of("%\n") != std::string::npos) {
    return fail(
        ErrorKind::kUsage,
        "the work folder's path has a '%', which the profile runtime takes for a pattern: " +
            root.string(),
        "work in a folder without it");
  }
  return {};
}

class Training {
 public:
  Training(const Recipe& recipe, const Plan& plan, const BuiltBinary& instrumented,
           const TrainingPlace& place, const toolchain::Toolchain& tools, Store& store,
           system::System& system, Observer& observer)
      : recipe_(recipe),
        plan_(plan),
        instrumented_(instrumented),
        place_(place),
        tools_(tools),
        store_(store),
        system_(system),
        observer_(observer) {}

  Result<std::vector<Leg>> run() {
    flush_library_ = std::filesystem::absolute(place_.flush_library).lexically_normal().string();
    HONE_CHECK(
        check_paths(std::filesystem::absolute(store_.root()), flush_library_, *system_.files));
    HONE_TRY(flush_sha256_, system_.files->sha256(flush_library_));
    const std::vector<subject::Shape> shapes = trained_shapes(recipe_, plan_);
    const double all = std::accumulate(shapes.begin(), shapes.end(), 0.0,
                                       [](double sum, const auto& s) { return sum + s.share; });
    for (const subject::Shape& shape : shapes) {
      HONE_CHECK(system::check_interrupted());
      Status status = add_leg(shape, shape.share / all);
      if (!status) {
        return tl::make_unexpected(
            while_doing(std::move(status).error(), "training leg " + shape.name));
      }
    }
    if (start_up_.total_count > 0) legs_.push_back(std::move(start_up_));
    return std::move(legs_);
  }

 private:
  subject::ServerSpec server() const {
    subject::ServerSpec server = recipe_.server;
    if (plan_.train.workers > 0) server.workers = plan_.train.workers;
    return server;
  }

  Fingerprint fingerprint(const subject::Shape& shape) const {
    Json traffic = shape;
    for (const char* key : {"name", "share", "train", "prove"}) traffic.erase(key);
    Fingerprint print;
    print.add("leg version", Json(kLegVersion));
    print.add("instrumented binary", instrumented_.sha256);
    print.add("shape", traffic);
    print.add("server", subject::behaviour(server()));
    print.add("train", Json{{"leg", plan_.train.leg_s}, {"rate", plan_.train.rate}});
    print.add("connections per worker", Json(recipe_.prove.connections));
    print.add("streams", Json(recipe_.prove.streams));
    print.add("profile library", flush_sha256_);
    print.add("llvm-profdata", tools_.version);
    return print;
  }

  Status add_leg(const subject::Shape& shape, double share) {
    const Fingerprint print = fingerprint(shape);
    const auto found = store_.find(kLegKind, print);
    std::optional<LegOutcome> outcome;
    if (found) outcome = stored(*found);
    const bool reused = outcome.has_value();
    if (reused) {
      observer_.line("leg " + shape.name + ": reused, " + format_count(outcome->requests) +
                     " requests");
      for (const Finding& finding : outcome->findings) observer_.finding(finding);
    } else {
      HONE_TRY(outcome, train_leg(shape, print));
    }
    const system::Path place = store_.folder(kLegKind, print);
    HONE_TRY(const auto changes, store_.use(kStage, shape.name, place));
    (void)changes;  // said before the work was done
    keep(shape.name, share, place, *outcome, reused);
    return {};
  }

  // Nothing when a file of it is missing: someone has tidied up by hand, and it is done again.
  std::optional<LegOutcome> stored(const system::Path& folder) const {
    const auto json = store_.value(folder);
    if (!json) return std::nullopt;
    auto outcome = value_from<LegOutcome>(*json, "a stored leg");
    if (!outcome || outcome->profiles.empty()) return std::nullopt;
    for (const auto* list : {&outcome->profiles, &outcome->start_up}) {
      for (const std::string& file : *list) {
        if (!system_.files->exists(folder / file)) return std::nullopt;
      }
    }
    return *std::move(outcome);
  }

  Result<LegOutcome> train_leg(const subject::Shape& shape, const Fingerprint& print) {
    const auto changes = store_.changes(kStage, shape.name, print);
    if (!changes.empty()) {
      observer_.line("leg " + shape.name + ": again, since " + join(changes, "; "));
    }
    HONE_CHECK(start_load());
    HONE_TRY(system::Path part, store_.begin(kLegKind, print));
    HONE_CHECK(system_.files->remove_all(part));  // a cut leg is worth nothing
    HONE_TRY(part, store_.begin(kLegKind, print));
    LegSpec spec;
    spec.shape = shape;
    spec.server = server();
    spec.binary = std::filesystem::absolute(instrumented_.path).string();
    spec.leg_s = plan_.train.leg_s;
    spec.rate = plan_.train.rate;
    spec.connections = recipe_.prove.connections * spec.server.workers;
    spec.streams = recipe_.prove.streams;
    spec.server_cpus = place_.server_cpus;
    spec.load_cpus = place_.load_cpus;
    spec.flush_library = flush_library_;
    spec.folder = std::filesystem::absolute(part);
    const Profdata profdata(tools_, &system_, part);
    HONE_TRY(LegOutcome outcome,
             run_leg(spec, profdata, system_, thread_.get(), load_.get(), observer_));
    HONE_CHECK(store_.commit(kLegKind, print, outcome));
    observer_.line("leg " + shape.name + ": " + format_count(outcome.requests) + " requests in " +
                   format_duration(outcome.wall_s) + ", " +
                   std::to_string(outcome.profiles.size()) +
                   (outcome.profiles.size() == 1 ? " profile" : " profiles"));
    return outcome;
  }

  // Only when there is something to train: a run that reuses every leg starts no thread.
  Status start_load() {
    if (thread_) return {};
    HONE_TRY(thread_, system::net::LoopThread::start(place_.load_cpus));
    load_ = traffic::load::make_in_process(thread_.get());
    return {};
  }

  void keep(const std::string& name, double share, const system::Path& place,
            const LegOutcome& outcome, bool reused) {
    const system::Path folder = std::filesystem::absolute(place);
    Leg leg;
    leg.name = name;
    leg.folder = folder.string();
    leg.requests = outcome.requests;
    leg.share = share;
    for (const std::string& file : outcome.profiles)
      leg.profiles.push_back((folder / file).string());
    leg.total_count = outcome.total_count;
    leg.wall_s = outcome.wall_s;
    leg.cpu_us_per_request = outcome.cpu_us_per_request;
    leg.reused = reused;
    if (!outcome.start_up.empty()) {
      if (start_up_.folder.empty()) {
        start_up_.name = kStartUpLeg;
        start_up_.folder = leg.folder;
        start_up_.share = 1.0 / plan_.train.starts_per_requests;
        start_up_.reused = true;
      }
      start_up_.requests += 1;
      start_up_.total_count += outcome.start_up_count;
      start_up_.reused = start_up_.reused && reused;
      for (const std::string& file : outcome.start_up) {
        start_up_.profiles.push_back((folder / file).string());
      }
    }
    legs_.push_back(std::move(leg));
  }

  const Recipe& recipe_;
  const Plan& plan_;
  const BuiltBinary& instrumented_;
  const TrainingPlace& place_;
  const toolchain::Toolchain& tools_;
  Store& store_;
  system::System& system_;
  Observer& observer_;
  std::string flush_library_, flush_sha256_;
  std::unique_ptr<system::net::LoopThread> thread_;
  std::unique_ptr<traffic::load::LoadSession> load_;  // after the thread it lives on
  std::vector<Leg> legs_;
  Leg start_up_;
};

}  // namespace

Result<std::vector<Leg>> train(const Recipe& recipe, const Plan& plan,
                               const BuiltBinary& instrumented, const TrainingPlace& place,
                               const toolchain::Toolchain& tools, Store& store,
                               system::System& system, Observer& observer) {
  return Training(recipe, plan, instrumented, place, tools, store, system, observer).run();
}

}  // namespace hone::pipeline
