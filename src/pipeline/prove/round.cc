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
#include "pipeline/prove/arm_counters.h"
#include "pipeline/prove/arm_energy.h"
#include "pipeline/prove/live_arms.h"
#include "pipeline/prove/round_environment.h"
#include "pipeline/prove/validity.h"
#include "system/interrupt.h"

namespace hone::pipeline {
namespace {

using traffic::load::SliceResult;
using traffic::load::SliceSpec;

// An arm that has rested this long is asked once on every connection before the next slice, so that
// no keep-alive, idle timeout or cache of connections falls back while others have their turn.
// Servers give a second at the least (the keep-alive timeouts of Apache and nginx are 5 and 75 s).
constexpr double kLongestRestS = 1;
constexpr double kKeepWarmS = 0.02;  // over which those requests are spread
constexpr std::uint64_t kKeepWarmPurpose = 1'000'000;

std::uint64_t text_seed(const std::string& text) {
  std::uint64_t hash = 14695981039346656037ULL;  // FNV-1a, 64 bits
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  return hash;
}

class RoundRun {
 public:
  RoundRun(const Design& design, const Block& block, const subject::Shape& shape,
           const ResolvedLoad& load, Rig& rig, system::System& system)
      : design_(design), block_(block), shape_(shape), load_(load), rig_(rig), system_(system) {}

  Result<Round> run(const PlannedRound& planned, int attempt, const system::Path& folder) {
    round_.shape = shape_.name;
    round_.load = load_.load;
    round_.kind = planned.kind;
    round_.number = planned.number;
    round_.attempt = attempt;
    round_.spinner_share = rig_.spinner ? rig_.spinner_share : 0;
    round_.started_at = system_.clock->wall_time();
    seed_ = derive_seed(derive_seed(design_.settings.seed, text_seed(shape_.name + load_.load)),
                        static_cast<std::uint64_t>(planned.number));
    if (planned.kind != RoundKind::kSlices)
      seed_ = derive_seed(seed_, text_seed(name(planned.kind)));
    HONE_TRY(arrivals_, traffic::load::parse_arrivals(load_.arrivals));
    for (const Arm& arm : block_.arms) {
      Trial trial;
      trial.arm = arm.name;
      trial.shape = shape_.name;
      trial.load = load_.load;
      trial.round = planned.number;
      round_.trials.push_back(std::move(trial));
    }
    HONE_CHECK(measure_arms(folder));
    round_.machine = measure::state_over(moments_);
    round_.environment.missed = share_missed();
    round_.environment.crowded = crowded(design_);
    judge_round(&round_, load_.rate);
    return std::move(round_);
  }

 private:
  Status measure_arms(const system::Path& folder) {
    Random random(seed_);
    const std::size_t arms = block_.arms.size();
    std::vector<std::size_t> starts(arms);
    for (std::size_t i = 0; i < arms; ++i) starts[i] = i;
    latency_.assign(arms, {});
    user_s_.assign(arms, 0);
    taken_.assign(arms, 0);
    if (round_.kind != RoundKind::kInTurn) {
      round_.order = measure::slice_order(static_cast<int>(arms), design_.settings.slices, random);
      random.shuffle(starts);  // the place in the starting order must not stick to an arm
      return measure_live(starts, 0, folder);
    }
    random.shuffle(starts);
    const auto slices = static_cast<std::size_t>(design_.settings.slices);
    for (const std::size_t arm : starts) {
      round_.order.insert(round_.order.end(), slices, static_cast<int>(arm));
    }
    for (std::size_t turn = 0; turn < arms; ++turn) {
      HONE_CHECK(measure_live({starts[turn]}, turn * slices, folder));
      if (!round_.trials[starts[turn]].failure.empty()) break;
    }
    return {};
  }

  // From start to end of arms that live at the same time; theirs are the places of the order from
  // `first_place` on, each arm its number of slices.
  Status measure_live(const std::vector<std::size_t>& arms, std::size_t first_place,
                      const system::Path& folder) {
    LiveArms live(design_, block_, shape_, &round_, rig_, system_);
    const LiveArms::MakeSlice make_slice = [this](double duration_s, std::uint64_t purpose) {
      return slice_spec(duration_s, purpose);
    };
    HONE_CHECK(live.start(arms, folder, make_slice));
    const std::size_t places = arms.size() * static_cast<std::size_t>(design_.settings.slices);
    if (!live.failed()) HONE_CHECK(take_slices(live, first_place, first_place + places));
    // Not in rounds that check the counted ones: nothing is drawn from events there.
    if (!live.failed() && round_.kind == counted_kind(design_.settings)) {
      HONE_CHECK(count_arm_events(live, make_slice, design_.settings.slice_s, system_, &round_));
    }
    if (!live.failed() && round_.kind == RoundKind::kInTurn) {
      HONE_CHECK(count_arm_energy(live, make_slice, design_, &rig_, system_, &round_));
    }
    return live.stop();
  }

  SliceSpec slice_spec(double duration_s, std::uint64_t purpose) const {
    SliceSpec spec;
    spec.rate = load_.rate;
    spec.duration_s = duration_s;
    spec.arrivals = arrivals_;
    spec.seed = derive_seed(seed_, purpose);
    return spec;
  }

  Status take_slices(LiveArms& live, std::size_t first_place, std::size_t last_place) {
    HONE_TRY(const auto tree_before, live.quiet_usages());
    if (live.failed()) return {};
    HONE_TRY(const auto threads_before, read_threads(live, system_));
    const auto read = [this] {
      moments_.push_back(measure::read_moment(*system_.files, *system_.clock,
                                              {design_.server_cpus, design_.load_cpus}));
      return read_cpus(system_, design_, rig_.spinner.get());
    };
    HONE_TRY(const CpuReading before, read());
    CpuReading half = before;
    last_asked_.assign(block_.arms.size(), system_.clock->now());
    for (std::size_t place = first_place; place < last_place && !live.failed(); ++place) {
      HONE_CHECK(system::check_interrupted());
      if (place == (first_place + last_place) / 2) {
        HONE_TRY(half, read());
      }
      const auto arm = static_cast<std::size_t>(round_.order[place]);
      HONE_CHECK(keep_warm(live, arm, place));
      if (live.failed()) break;
      HONE_CHECK(live.on_arm(arm, [&] { return take_slice(live, arm, static_cast<int>(place)); }));
      last_asked_[arm] = system_.clock->now();
    }
    // Also after a failure: the reader will ask whether the machine had a part in it.
    HONE_TRY(const CpuReading after, read());
    double arms_cpu_s = 0;
    double run_delay_s = 0;
    const bool whole = !live.failed();
    if (whole) HONE_CHECK(finish_trials(live, tree_before, &arms_cpu_s, &run_delay_s));
    if (!live.failed()) {
      HONE_TRY(const auto threads_after, read_threads(live, system_));
      note_threads(live, threads_before, threads_after, &round_);
    }
    auto seen = environment_between(
        before, half, after, static_cast<int>(design_.server_cpus.size()), arms_cpu_s, run_delay_s);
    // Without the arms' CPU it cannot be told from that of others.
    if (!whole) seen.foreign_cpu = 0;
    round_.environment = measure::worst_of(round_.environment, seen);
    return {};
  }

  // Those that rest, for a moment: `next` is about to get more than that.
  Status keep_warm(LiveArms& live, std::size_t next, std::size_t place) {
    for (const std::size_t arm : live.arms()) {
      const double rested_s = system::to_seconds(system_.clock->now() - last_asked_[arm]);
      if (arm == next || rested_s < kLongestRestS) continue;
      SliceSpec spec = slice_spec(kKeepWarmS, kKeepWarmPurpose + place);
      spec.arrivals.kind = traffic::load::Arrivals::Kind::kEven;
      spec.rate = design_.settings.connections * block_.arms[arm].server.workers / kKeepWarmS;
      HONE_CHECK(live.on_arm(arm, [&]() -> Status {
        HONE_TRY(const SliceResult unused, live[arm].slice(spec));
        static_cast<void>(unused);
        return {};
      }));
      if (live.failed()) break;
      last_asked_[arm] = system_.clock->now();
    }
    return {};
  }

  Status take_slice(LiveArms& live, std::size_t arm, int place) {
    subject::Session& session = live[arm];
    const std::uint64_t index = taken_[arm]++;
    // Slice k of every arm has the same arrivals.
    HONE_TRY(const SliceResult head, session.slice(slice_spec(design_.settings.head_s, 2 * index)));
    static_cast<void>(head);
    // Outside of what is counted: with a far origin this is traffic of its own.
    HONE_TRY(const std::uint64_t upstream_before, session.upstream_requests());
    HONE_TRY(const auto before, live.quiet_usage(arm));
    const SpunStretch begin = spun_so_far(rig_.spinner.get(), *system_.clock);
    HONE_TRY(const SliceResult result,
             session.slice(slice_spec(design_.settings.slice_s, 2 * index + 1)));
    HONE_TRY(const auto after, live.quiet_usage(arm));
    const SpunStretch end = spun_so_far(rig_.spinner.get(), *system_.clock);
    const auto cost = measure::difference(before, after);
    Trial& trial = round_.trials[arm];
    HONE_TRY(const std::uint64_t upstream_after, session.upstream_requests());
    trial.upstream_requests += upstream_after - upstream_before;
    SliceRecord slice;
    slice.order = place;
    slice.cpu_s = cost.cpu_s;
    slice.whole_cpu_s = unavailable_cpu_s(between(begin, end), live.idle(),
                                          static_cast<int>(design_.server_cpus.size()));
    slice.ok = result.ok;
    slice.wakes = cost.wakes;
    slice.blocked = result.blocked;
    // By count: at low rates a slice's whole number of requests is not quite rate x duration.
    slice.in_time = result.achieved_rate * design_.settings.slice_s /
                    static_cast<double>(std::max<std::uint64_t>(result.scheduled, 1));
    add_slice(slice, result, &trial);
    add_beside(cost, &trial);
    user_s_[arm] += cost.user_s;
    latency_[arm].merge(result.latency);
    return {};
  }

  static void add_slice(const SliceRecord& slice, const SliceResult& result, Trial* trial) {
    trial->slices.push_back(slice);
    trial->cpu_total_s += slice.cpu_s;
    trial->whole_cpu_s += slice.whole_cpu_s;
    trial->wakes += slice.wakes;
    trial->ok += result.ok;
    trial->scheduled += result.scheduled;
    trial->missed += result.missed;
    trial->blocked += result.blocked;
    trial->errors += result.scheduled - result.missed - result.ok;
    trial->body_bytes += result.body_bytes;
    trial->client_cpu_s += result.client_cpu_s;
    trial->client_wakes += result.client_wakes;
    trial->achieved_rate += result.achieved_rate;
    for (const auto& [code, count] : result.status) trial->status[code] += count;
  }

  Status finish_trials(LiveArms& live, const std::vector<system::TreeUsage>& tree_before,
                       double* cpu_s, double* run_delay_s) {
    HONE_TRY(const auto tree_after, live.quiet_usages());
    if (live.failed()) return {};
    for (const std::size_t arm : live.arms()) {
      const auto cost = measure::difference(tree_before[arm], tree_after[arm]);
      *cpu_s += cost.cpu_s;
      *run_delay_s += cost.run_delay_s;
      Trial& trial = round_.trials[arm];
      // Over the whole stretch: a worker that was replaced in an uncounted head has cold caches in
      // the slice after it.
      if (cost.restarted) {
        trial.failure = "its processes changed in mid-round: it restarted";
        trial.log = live[arm].log().string();
      }
      HONE_CHECK(live.on_arm(arm, [&]() -> Status {
        HONE_TRY(trial.workers, live[arm].worker_spread());
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
  const Block& block_;
  const subject::Shape& shape_;
  const ResolvedLoad& load_;
  Rig& rig_;
  system::System& system_;
  Round round_;
  std::uint64_t seed_ = 0;
  traffic::load::Arrivals arrivals_;
  // By arm of the block.
  std::vector<traffic::load::Histogram> latency_;
  std::vector<double> user_s_;
  std::vector<std::uint64_t> taken_;
  std::vector<system::Instant> last_asked_;
  std::vector<measure::MachineMoment> moments_;
};

}  // namespace

Result<Round> run_round(const Design& design, const Block& block, const subject::Shape& shape,
                        const ResolvedLoad& load, const PlannedRound& planned, int attempt,
                        const system::Path& folder, Rig& rig, system::System& system) {
  if (planned.kind != RoundKind::kWithoutSpinner) {
    return RoundRun(design, block, shape, load, rig, system).run(planned, attempt, folder);
  }
  rig.spinner.reset();
  auto round = RoundRun(design, block, shape, load, rig, system).run(planned, attempt, folder);
  HONE_CHECK(restart_spinner(design, &rig));
  return round;
}

}  // namespace hone::pipeline
