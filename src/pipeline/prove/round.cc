// Slices of one arm lie between slices of the others in the same few seconds on the same CPUs, so
// drift of the machine hits all arms alike; whole trials one after the other scatter three times as
// much (nghttpx, HTTP/1 4 KB: pair deviation 4.4 % against 1.2 to 1.7 %). The CPU clock of a
// running thread lags up to a tick, so every reading waits until the arm is quiet; that is why the
// uncounted head of a slice ends with a drain of its own.
#include "pipeline/prove/round.h"

#include <algorithm>
#include <cmath>

#include "measure/counters/usage.h"
#include "measure/statistics/order.h"
#include "pipeline/prove/arm_session.h"
#include "pipeline/prove/round_environment.h"
#include "pipeline/prove/validity.h"
#include "system/interrupt.h"

namespace hone::pipeline {
namespace {

using subject::Session;
using traffic::load::SliceResult;
using traffic::load::SliceSpec;

// Warm-up: slices of this length, until two successive costs of every arm agree this closely.
// Slices so short scatter by several per cent, so a tighter bound would wait for luck.
constexpr double kWarmSliceS = 0.25;
constexpr double kWarmAgreement = 0.10;
constexpr double kIdleS = 0.2;  // over which an arm's idle burn is read: many timer periods

std::uint64_t text_seed(const std::string& text) {
  std::uint64_t hash = 14695981039346656037ULL;  // FNV-1a, 64 bits
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  return hash;
}

class RoundRun {
 public:
  RoundRun(const Design& design, const subject::Shape& shape, const ResolvedLoad& load, Rig& rig,
           system::System& system)
      : design_(design), shape_(shape), load_(load), rig_(rig), system_(system) {}

  Result<Round> run(int number, int attempt, const system::Path& folder) {
    round_.shape = shape_.name;
    round_.load = load_.load;
    round_.number = number;
    round_.attempt = attempt;
    round_.spinner_share = rig_.spinner_share;
    round_.started_at = system_.clock->wall_time();
    seed_ = derive_seed(derive_seed(design_.settings.seed, text_seed(shape_.name + load_.load)),
                        static_cast<std::uint64_t>(number));
    Random random(seed_);
    const int arms = static_cast<int>(design_.arms.size());
    round_.order = measure::slice_order(arms, design_.settings.slices, random);
    HONE_TRY(arrivals_, traffic::load::parse_arrivals(load_.arrivals));
    for (const Arm& arm : design_.arms) {
      Trial trial;
      trial.arm = arm.name;
      trial.shape = shape_.name;
      trial.load = load_.load;
      trial.round = number;
      round_.trials.push_back(std::move(trial));
    }
    HONE_CHECK(measure_arms(folder, random));
    judge_round(&round_, load_.rate);
    return std::move(round_);
  }

 private:
  // Runs `work` for an arm; its subject's own failures end up in the trial, the rest (hone's own
  // and the machine's, such as too few file descriptors) is passed on.
  template <typename Work>
  Status on_arm(std::size_t arm, Work work) {
    Status status = work();
    if (status) return {};
    const ErrorKind kind = status.error().kind;
    if (kind != ErrorKind::kSubjectDied && kind != ErrorKind::kNotReady &&
        kind != ErrorKind::kTimeout && kind != ErrorKind::kNetwork) {
      return status;
    }
    Trial& trial = round_.trials[arm];
    trial.failure = status.error().what;
    trial.log = status.error().log_file;
    if (trial.log.empty() && sessions_[arm]) trial.log = sessions_[arm]->log().string();
    failed_ = true;
    return {};
  }

  Status stop(std::size_t arm) {
    Status stopped = sessions_[arm]->stop();
    if (stopped || stopped.error().kind != ErrorKind::kTimeout) return stopped;
    round_.trials[arm].killed = true;  // after all slices: no fault of its answers or its CPU
    return {};
  }

  Status measure_arms(const system::Path& folder, Random& random) {
    HONE_CHECK(start_arms(folder, random));
    if (!failed_) HONE_CHECK(warm_up());
    if (!failed_) HONE_CHECK(read_idle_burn());
    if (!failed_) HONE_CHECK(take_slices());
    for (std::size_t arm = 0; arm < sessions_.size(); ++arm) {
      if (!sessions_[arm] || !round_.trials[arm].failure.empty()) continue;
      HONE_CHECK(on_arm(arm, [&] { return stop(arm); }));
    }
    sessions_.clear();
    return {};
  }

  Status start_arms(const system::Path& folder, Random& random) {
    sessions_.resize(design_.arms.size());
    std::vector<std::size_t> order(design_.arms.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    random.shuffle(order);  // the place in the starting order must not stick to an arm
    for (const std::size_t arm : order) {
      HONE_CHECK(on_arm(arm, [&]() -> Status {
        HONE_TRY(sessions_[arm], start_arm(design_, arm, shape_, folder, rig_, system_));
        round_.trials[arm].ready_s = sessions_[arm]->ready_after_s();
        return sessions_[arm]->connect();
      }));
      if (failed_) break;
    }
    return {};
  }

  SliceSpec slice_spec(double duration_s, std::uint64_t purpose) const {
    SliceSpec spec;
    spec.rate = load_.rate;
    spec.duration_s = duration_s;
    spec.arrivals = arrivals_;
    spec.seed = derive_seed(seed_, purpose);
    return spec;
  }

  Result<system::TreeUsage> quiet_usage(std::size_t arm) {
    return measure::read_when_quiet(*system_.process_table, *system_.clock,
                                    sessions_[arm]->tree_root());
  }

  Status warm_up() {
    std::vector<double> last(sessions_.size(), 0);
    const auto begin = system_.clock->now();
    for (std::uint64_t pass = 0;; ++pass) {
      bool agree = pass > 0;
      for (std::size_t arm = 0; arm < sessions_.size() && !failed_; ++arm) {
        HONE_CHECK(on_arm(arm, [&]() -> Status {
          HONE_TRY(const auto before, quiet_usage(arm));
          HONE_TRY(const auto result, sessions_[arm]->slice(slice_spec(kWarmSliceS, 1000 + pass)));
          HONE_TRY(const auto after, quiet_usage(arm));
          const double cost = measure::difference(before, after).cpu_s /
                              static_cast<double>(std::max<std::uint64_t>(result.ok, 1));
          if (std::abs(cost - last[arm]) > kWarmAgreement * cost) agree = false;
          last[arm] = cost;
          return {};
        }));
      }
      if (failed_ || agree) return {};
      if (system::to_seconds(system_.clock->now() - begin) > design_.settings.warm_up_limit_s) {
        return {};  // costs that never settle show in the interval
      }
      HONE_CHECK(system::check_interrupted());
    }
  }

  // Of every arm; one that does not come to rest has failed, and the rest stay zero.
  Result<std::vector<system::TreeUsage>> quiet_usages() {
    std::vector<system::TreeUsage> usages(sessions_.size());
    for (std::size_t arm = 0; arm < sessions_.size() && !failed_; ++arm) {
      HONE_CHECK(on_arm(arm, [&]() -> Status {
        HONE_TRY(usages[arm], quiet_usage(arm));
        return {};
      }));
    }
    return usages;
  }

  Status read_idle_burn() {
    HONE_TRY(const auto before, quiet_usages());
    if (failed_) return {};
    const auto begin = system_.clock->now();
    system_.clock->sleep(system::seconds(kIdleS));
    for (std::size_t arm = 0; arm < sessions_.size(); ++arm) {
      system::TreeUsage after;
      HONE_CHECK(on_arm(arm, [&]() -> Status {
        HONE_TRY(after, quiet_usage(arm));
        return {};
      }));
      if (failed_) return {};
      const double wall = system::to_seconds(system_.clock->now() - begin);
      round_.trials[arm].idle_cpu_us_per_s =
          static_cast<double>(after.cpu_ns - before[arm].cpu_ns) * 1e-3 / wall;
    }
    return {};
  }

  Status take_slices() {
    HONE_TRY(const auto tree_before, quiet_usages());
    if (failed_) return {};
    const auto read = [this] {
      return read_cpus(system_, design_.server_cpus, rig_.spinner.get());
    };
    HONE_TRY(const CpuReading before, read());
    CpuReading half = before;
    latency_.assign(sessions_.size(), {});
    user_s_.assign(sessions_.size(), 0);
    std::vector<std::uint64_t> taken(sessions_.size(), 0);
    for (std::size_t place = 0; place < round_.order.size() && !failed_; ++place) {
      HONE_CHECK(system::check_interrupted());
      if (place == round_.order.size() / 2) {
        HONE_TRY(half, read());
      }
      const auto arm = static_cast<std::size_t>(round_.order[place]);
      HONE_CHECK(
          on_arm(arm, [&] { return take_slice(arm, static_cast<int>(place), taken[arm]++); }));
    }
    // Also after a failure: the reader will ask whether the machine had a part in it.
    HONE_TRY(const CpuReading after, read());
    double arms_cpu_s = 0;
    double run_delay_s = 0;
    if (!failed_) HONE_CHECK(finish_trials(tree_before, &arms_cpu_s, &run_delay_s));
    round_.environment = environment_between(
        before, half, after, static_cast<int>(design_.server_cpus.size()), arms_cpu_s, run_delay_s);
    round_.environment.missed = share_missed();
    round_.environment.crowded = crowded(design_);
    // Without the arms' CPU it cannot be told from that of others.
    if (failed_) round_.environment.foreign_cpu = 0;
    return {};
  }

  Status take_slice(std::size_t arm, int place, std::uint64_t index) {
    Session& session = *sessions_[arm];
    // Slice k of every arm has the same arrivals.
    HONE_CHECK(session.slice(slice_spec(design_.settings.head_s, 2 * index)));
    HONE_TRY(const auto before, quiet_usage(arm));
    const auto upstream_before = session.origin_counters().requests;
    HONE_TRY(const SliceResult result,
             session.slice(slice_spec(design_.settings.slice_s, 2 * index + 1)));
    HONE_TRY(const auto after, quiet_usage(arm));
    const auto cost = measure::difference(before, after);
    Trial& trial = round_.trials[arm];
    trial.upstream_requests += session.origin_counters().requests - upstream_before;
    // By count: at low rates a slice's whole number of requests is not quite rate x duration.
    const double in_time = result.achieved_rate * design_.settings.slice_s /
                           static_cast<double>(std::max<std::uint64_t>(result.scheduled, 1));
    trial.slices.push_back({place, cost.cpu_s, result.ok, cost.wakes, result.blocked, in_time});
    trial.cpu_total_s += cost.cpu_s;
    trial.wakes += cost.wakes;
    trial.ok += result.ok;
    trial.scheduled += result.scheduled;
    trial.missed += result.missed;
    trial.blocked += result.blocked;
    trial.errors += result.scheduled - result.missed - result.ok;
    trial.body_bytes += result.body_bytes;
    trial.client_cpu_s += result.client_cpu_s;
    trial.client_wakes += result.client_wakes;
    trial.achieved_rate += result.achieved_rate;
    for (const auto& [code, count] : result.status) trial.status[code] += count;
    user_s_[arm] += cost.user_s;
    latency_[arm].merge(result.latency);
    return {};
  }

  Status finish_trials(const std::vector<system::TreeUsage>& tree_before, double* cpu_s,
                       double* run_delay_s) {
    HONE_TRY(const auto tree_after, quiet_usages());
    if (failed_) return {};
    for (std::size_t arm = 0; arm < sessions_.size(); ++arm) {
      const auto cost = measure::difference(tree_before[arm], tree_after[arm]);
      *cpu_s += cost.cpu_s;
      *run_delay_s += cost.run_delay_s;
      Trial& trial = round_.trials[arm];
      // Over the whole stretch: a worker that was replaced in an uncounted head has cold caches in
      // the slice after it.
      if (cost.restarted) {
        trial.failure = "its processes changed in mid-round: it restarted";
        trial.log = sessions_[arm]->log().string();
      }
      HONE_CHECK(on_arm(arm, [&]() -> Status {
        HONE_TRY(trial.workers, sessions_[arm]->worker_spread());
        return {};
      }));
      trial.latency_us = traffic::load::summarise(latency_[arm]);
      trial.achieved_rate /= static_cast<double>(std::max<std::size_t>(trial.slices.size(), 1));
      trial.user_share = trial.cpu_total_s > 0 ? user_s_[arm] / trial.cpu_total_s : 0;
    }
    return {};
  }

  double share_missed() const {
    std::uint64_t scheduled = 0;
    std::uint64_t missed = 0;
    for (const Trial& trial : round_.trials) {
      scheduled += trial.scheduled;
      missed += trial.missed;
    }
    return scheduled > 0 ? static_cast<double>(missed) / static_cast<double>(scheduled) : 0;
  }

  const Design& design_;
  const subject::Shape& shape_;
  const ResolvedLoad& load_;
  Rig& rig_;
  system::System& system_;
  Round round_;
  std::uint64_t seed_ = 0;
  traffic::load::Arrivals arrivals_;
  std::vector<std::unique_ptr<Session>> sessions_;
  std::vector<traffic::load::Histogram> latency_;
  std::vector<double> user_s_;
  bool failed_ = false;
};

}  // namespace

Result<Round> run_round(const Design& design, const subject::Shape& shape, const ResolvedLoad& load,
                        int number, int attempt, const system::Path& folder, Rig& rig,
                        system::System& system) {
  return RoundRun(design, shape, load, rig, system).run(number, attempt, folder);
}

}  // namespace hone::pipeline
