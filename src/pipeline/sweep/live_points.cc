// An idle arm costs its background work only, so all arms stay up through a pass: starting one for
// each point would measure cold caches, and would take longer than the points.
#include "pipeline/sweep/live_points.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "measure/counters/usage.h"
#include "pipeline/prove/arm_session.h"
#include "pipeline/prove/rig.h"
#include "pipeline/prove/round_environment.h"
#include "pipeline/sweep/judge_point.h"
#include "system/interrupt.h"
#include "traffic/load/arrivals.h"

namespace hone::pipeline {
namespace {

using subject::Session;
using system::TreeUsage;
using traffic::load::SliceResult;
using traffic::load::SliceSpec;

// Warm-up: slices of this length until two successive costs of an arm agree this closely; slices so
// short scatter by several per cent (round.cc).
constexpr double kWarmUpSliceS = 0.25;
constexpr double kWarmUpAgreement = 0.10;
// A server that was offered more than it can carry has this long to work off what it took in.
constexpr double kDrainS = 10;

class LivePoints final : public PointSource {
 public:
  LivePoints(const SweepDesign& design, system::Path work, system::System& system,
             Observer& observer)
      : design_(design.design),
        arms_(arms_of(design.design)),
        settings_(design.settings),
        work_(std::move(work)),
        system_(system),
        observer_(observer) {}

  Status begin_pass(const subject::Shape& shape, double rate) override {
    if (!rig_) {
      HONE_TRY(rig_, make_rig(design_, work_, system_));
      for (const Finding& finding : rig_->findings) observer_.finding(finding);
      HONE_TRY(arrivals_, traffic::load::parse_arrivals(settings_.arrivals));
    }
    HONE_CHECK(end_pass());
    shape_ = &shape;
    warm_rate_ = rate;
    sessions_.resize(arms_.size());
    for (std::size_t arm = 0; arm < sessions_.size(); ++arm) {
      HONE_CHECK(start(arm));
    }
    return {};
  }

  Result<SweepPoint> measure(const PointRequest& request) override {
    HONE_CHECK(system::check_interrupted());
    if (!sessions_[request.arm]) HONE_CHECK(start(request.arm));
    SweepPoint point;
    point.arm = arms_[request.arm].name;
    point.rate = request.rate;
    point.spinner_share = rig_->spinner_share;
    point.started_at = system_.clock->wall_time();
    if (Status status = load_arm(request, &point); !status) {
      const Error& error = status.error();
      if (error.kind != ErrorKind::kSubjectDied && error.kind != ErrorKind::kNotReady &&
          error.kind != ErrorKind::kTimeout && error.kind != ErrorKind::kNetwork) {
        return tl::make_unexpected(error);
      }
      point.standing = Standing::kFailed;
      point.why = error.what;
      point.log = error.log_file;
    }
    judge_point(&point, settings_);
    if (point.standing == Standing::kFailed) HONE_CHECK(put_away(request, &point));
    // Where the server's workers no longer share evenly, its connections are dealt anew.
    if (!is_even(point.workers) && point.workers.known()) HONE_CHECK(stop(request.arm));
    return point;
  }

  Status end_pass() override {
    for (std::size_t arm = 0; arm < sessions_.size(); ++arm) HONE_CHECK(stop(arm));
    return {};
  }

 private:
  Status start(std::size_t arm) {
    HONE_TRY(sessions_[arm],
             start_arm(design_, arms_[arm], arm, *shape_, work_ / "arms", *rig_, system_));
    HONE_CHECK(sessions_[arm]->connect());
    return warm_up(arm);
  }

  Status stop(std::size_t arm) {
    if (!sessions_[arm]) return {};
    const auto session = std::move(sessions_[arm]);
    const Status stopped = session->stop();
    // One that had to be killed has given all its figures; one that is dead has failed before.
    if (stopped || stopped.error().kind == ErrorKind::kTimeout ||
        stopped.error().kind == ErrorKind::kSubjectDied) {
      return {};
    }
    return stopped;
  }

  Result<TreeUsage> quiet_usage(std::size_t arm) {
    return measure::read_when_quiet(*system_.process_table, *system_.clock,
                                    sessions_[arm]->tree_root(), system::seconds(kDrainS));
  }

  SliceSpec slice_spec(double rate, double duration_s, std::uint64_t seed) const {
    SliceSpec spec;
    spec.rate = rate;
    spec.duration_s = duration_s;
    spec.arrivals = arrivals_;
    spec.seed = seed;
    return spec;
  }

  Status warm_up(std::size_t arm) {
    double last = 0;
    const auto begin = system_.clock->now();
    for (std::uint64_t pass = 0;; ++pass) {
      HONE_CHECK(system::check_interrupted());
      HONE_TRY(const auto before, quiet_usage(arm));
      HONE_TRY(
          const SliceResult result,
          sessions_[arm]->slice(slice_spec(warm_rate_, kWarmUpSliceS, derive_seed(pass, 0x3a3a))));
      HONE_TRY(const auto after, quiet_usage(arm));
      const double cost = measure::difference(before, after).cpu_s /
                          static_cast<double>(std::max<std::uint64_t>(result.ok, 1));
      if (pass > 0 && std::abs(cost - last) <= kWarmUpAgreement * cost) return {};
      last = cost;
      if (system::to_seconds(system_.clock->now() - begin) > design_.settings.warm_up_limit_s) {
        return {};  // costs that never settle show in the spread over repeats
      }
    }
  }

  // Of the arms that have no load: their background work is not a stranger's.
  Result<double> others_cpu_s(std::size_t arm) const {
    double sum = 0;
    for (std::size_t other = 0; other < sessions_.size(); ++other) {
      if (other == arm || !sessions_[other]) continue;
      HONE_TRY(const TreeUsage usage, system_.process_table->usage(sessions_[other]->tree_root()));
      sum += static_cast<double>(usage.cpu_ns) * 1e-9;
    }
    return sum;
  }

  Status load_arm(const PointRequest& request, SweepPoint* point) {
    Session& session = *sessions_[request.arm];
    HONE_CHECK(session.slice(
        slice_spec(request.rate, settings_.head_s, derive_seed(request.seed, 0x4ead))));
    HONE_TRY(const TreeUsage before, quiet_usage(request.arm));
    HONE_TRY(const double others_before, others_cpu_s(request.arm));
    HONE_TRY(const CpuReading cpus_before, read());
    HONE_TRY(const SliceResult result,
             session.slice(slice_spec(request.rate, request.slice_s, request.seed)));
    HONE_TRY(const CpuReading cpus_after, read());
    HONE_TRY(const double others_after, others_cpu_s(request.arm));
    HONE_TRY(const TreeUsage after, quiet_usage(request.arm));
    const auto cost = measure::difference(before, after);
    take_counts(result, request.slice_s, point);
    point->cpu_s = cost.cpu_s;
    point->wakes = cost.wakes;
    point->server_busy = cost.cpu_s / point->wall_s / static_cast<double>(server_cpus());
    // Without a reading in mid-slice the spinner's speed has nothing to be compared with.
    point->environment =
        environment_between(cpus_before, cpus_before, cpus_after, server_cpus(),
                            cost.cpu_s + others_after - others_before, cost.run_delay_s);
    point->environment.missed = share(result.missed, result.scheduled);
    point->environment.crowded = crowded(design_);
    if (cost.restarted) {
      point->standing = Standing::kFailed;
      point->why = "its processes changed in mid-slice: it restarted";
    }
    HONE_TRY(point->workers, session.worker_spread());
    return {};
  }

  static double share(std::uint64_t part, std::uint64_t whole) {
    return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0;
  }

  void take_counts(const SliceResult& result, double slice_s, SweepPoint* point) const {
    const std::uint64_t due = result.scheduled - result.missed;
    point->scheduled = result.scheduled;
    point->missed = result.missed;
    point->ok = result.ok;
    point->errors = due - result.ok;
    point->blocked = result.blocked;
    point->status = result.status;
    point->ok_share = share(result.ok, due);
    // By count: at low rates a slice's whole number of requests is not quite rate x duration.
    point->in_time =
        due > 0 ? std::min(1.0, result.achieved_rate * slice_s / static_cast<double>(due)) : 0;
    point->wall_s = std::max(result.duration_s, slice_s);
    point->load_busy = result.client_cpu_s / point->wall_s / design_.settings.hosts.load_threads;
    point->latency_us = traffic::load::summarise(result.latency);
  }

  int server_cpus() const { return static_cast<int>(design_.server_cpus.size()); }

  Result<CpuReading> read() const { return read_cpus(system_, design_, rig_->spinner.get()); }

  // The arm is ended, and its files kept: the next start would remove them.
  Status put_away(const PointRequest& request, SweepPoint* point) {
    if (point->log.empty() && sessions_[request.arm])
      point->log = sessions_[request.arm]->log().string();
    sessions_[request.arm].reset();
    const system::Path folder = work_ / "arms" / ("arm" + std::to_string(request.arm));
    const system::Path kept = work_ / "failed" / request.name;
    HONE_CHECK(system_.files->remove_all(kept));
    HONE_CHECK(system_.files->make_directories(kept.parent_path()));
    HONE_CHECK(system_.files->rename(folder, kept));
    point->log = replace_all(point->log, folder.string(), kept.string());
    return {};
  }

  const Design& design_;
  const std::vector<Arm> arms_;
  const SweepSettings& settings_;
  system::Path work_;
  system::System& system_;
  Observer& observer_;
  std::optional<Rig> rig_;
  traffic::load::Arrivals arrivals_;
  const subject::Shape* shape_ = nullptr;
  double warm_rate_ = 0;
  std::vector<std::unique_ptr<Session>> sessions_;  // after the rig that they use
};

}  // namespace

std::unique_ptr<PointSource> make_live_points(const SweepDesign& design,
                                              const system::Path& work_folder,
                                              system::System& system, Observer& observer) {
  return std::make_unique<LivePoints>(design, work_folder, system, observer);
}

}  // namespace hone::pipeline
