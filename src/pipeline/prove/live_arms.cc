#include "pipeline/prove/live_arms.h"

#include <algorithm>
#include <cmath>

#include "pipeline/prove/arm_session.h"
#include "system/interrupt.h"

namespace hone::pipeline {
namespace {

// Warm-up: slices of this length, for each arm until two successive costs of its own agree this
// closely. Slices so short scatter by several per cent: a tighter bound, or one that all arms had
// to meet at once, would wait for luck.
constexpr double kWarmSliceS = 0.25;
constexpr double kWarmAgreement = 0.10;
constexpr std::uint64_t kWarmPurpose = 1000;  // far from those of a round's slices

// Over which an arm's idle burn is read, and the spinner's speed: many timer periods.
constexpr double kIdleS = 0.4;

}  // namespace

LiveArms::LiveArms(const Design& design, const Block& block, const subject::Shape& shape,
                   Round* round, Rig& rig, system::System& system)
    : design_(design),
      block_(block),
      shape_(shape),
      round_(round),
      rig_(rig),
      system_(system),
      sessions_(block.arms.size()) {}

Status LiveArms::on_arm(std::size_t arm, const std::function<Status()>& work) {
  Status status = work();
  if (status) return {};
  const ErrorKind kind = status.error().kind;
  if (kind != ErrorKind::kSubjectDied && kind != ErrorKind::kNotReady &&
      kind != ErrorKind::kTimeout && kind != ErrorKind::kNetwork) {
    return status;
  }
  Trial& trial = round_->trials[arm];
  trial.failure = status.error().what;
  trial.log = status.error().log_file;
  if (trial.log.empty() && sessions_[arm]) trial.log = sessions_[arm]->log().string();
  failed_ = true;
  return {};
}

Status LiveArms::start_one(std::size_t arm, const system::Path& folder) {
  HONE_TRY(sessions_[arm],
           start_arm(design_, block_.arms[arm], arm, shape_, folder, rig_, system_));
  round_->trials[arm].ready_s = sessions_[arm]->ready_after_s();
  return sessions_[arm]->connect();
}

Status LiveArms::start(const std::vector<std::size_t>& arms, const system::Path& folder,
                       const MakeSlice& make_slice) {
  arms_ = arms;
  for (const std::size_t arm : arms_) {
    HONE_CHECK(on_arm(arm, [&] { return start_one(arm, folder); }));
    if (failed_) return {};
  }
  HONE_CHECK(warm_up(make_slice));
  if (failed_) return {};
  return read_idle_burn();
}

Result<system::TreeUsage> LiveArms::quiet_usage(std::size_t arm) {
  return measure::read_when_quiet(*system_.process_table, *system_.clock,
                                  sessions_[arm]->tree_root());
}

Result<std::vector<system::TreeUsage>> LiveArms::quiet_usages() {
  std::vector<system::TreeUsage> usages(sessions_.size());
  for (const std::size_t arm : arms_) {
    HONE_CHECK(on_arm(arm, [&]() -> Status {
      HONE_TRY(usages[arm], quiet_usage(arm));
      return {};
    }));
    if (failed_) break;
  }
  return usages;
}

Result<double> LiveArms::warm_cost(std::size_t arm, const traffic::load::SliceSpec& slice) {
  HONE_TRY(const auto before, quiet_usage(arm));
  HONE_TRY(const auto result, sessions_[arm]->slice(slice));
  HONE_TRY(const auto after, quiet_usage(arm));
  return measure::difference(before, after).cpu_s /
         static_cast<double>(std::max<std::uint64_t>(result.ok, 1));
}

Status LiveArms::warm_up(const MakeSlice& make_slice) {
  std::vector<double> last(sessions_.size(), 0);
  std::vector<std::size_t> cold = arms_;
  const auto begin = system_.clock->now();
  for (std::uint64_t pass = 0; !cold.empty(); ++pass) {
    std::vector<std::size_t> still_cold;
    for (const std::size_t arm : cold) {
      HONE_CHECK(on_arm(arm, [&]() -> Status {
        HONE_TRY(const double cost, warm_cost(arm, make_slice(kWarmSliceS, kWarmPurpose + pass)));
        if (pass == 0 || std::abs(cost - last[arm]) > kWarmAgreement * cost) {
          still_cold.push_back(arm);
        }
        last[arm] = cost;
        return {};
      }));
      if (failed_) return {};
    }
    cold = std::move(still_cold);
    if (system::to_seconds(system_.clock->now() - begin) > design_.settings.warm_up_limit_s) {
      break;  // costs that never settle show in the interval
    }
    HONE_CHECK(system::check_interrupted());
  }
  return {};
}

Status LiveArms::read_idle_burn() {
  HONE_TRY(const auto before, quiet_usages());
  if (failed_) return {};
  const auto begin = system_.clock->now();
  const SpunStretch spun_before = spun_so_far(rig_.spinner.get(), *system_.clock);
  system_.clock->sleep(system::seconds(kIdleS));
  idle_ = between(spun_before, spun_so_far(rig_.spinner.get(), *system_.clock));
  for (const std::size_t arm : arms_) {
    system::TreeUsage after;
    HONE_CHECK(on_arm(arm, [&]() -> Status {
      HONE_TRY(after, quiet_usage(arm));
      return {};
    }));
    if (failed_) return {};
    const double wall = system::to_seconds(system_.clock->now() - begin);
    round_->trials[arm].idle_cpu_us_per_s =
        static_cast<double>(after.cpu_ns - before[arm].cpu_ns) * 1e-3 / wall;
  }
  return {};
}

Status LiveArms::stop() {
  for (const std::size_t arm : arms_) {
    if (!sessions_[arm] || !round_->trials[arm].failure.empty()) continue;
    HONE_CHECK(on_arm(arm, [&]() -> Status {
      Status stopped = sessions_[arm]->stop();
      if (stopped || stopped.error().kind != ErrorKind::kTimeout) return stopped;
      round_->trials[arm].killed = true;  // after all slices: no fault of its answers or its CPU
      return {};
    }));
  }
  for (const std::size_t arm : arms_) sessions_[arm].reset();
  return {};
}

}  // namespace hone::pipeline
