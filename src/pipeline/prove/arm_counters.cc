#include "pipeline/prove/arm_counters.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/units.h"
#include "measure/counters/events.h"
#include "system/interrupt.h"

namespace hone::pipeline {
namespace {

constexpr std::uint64_t kEventPurpose = 2'000'000;  // far from those of a round's slices

Status count_set(LiveArms& live, std::size_t arm, const measure::EventSet& set,
                 const traffic::load::SliceSpec& slice, system::System& system, Trial* trial) {
  std::uint64_t ok = 0;
  HONE_TRY(const auto quiet, live.quiet_usage(arm));
  static_cast<void>(quiet);
  HONE_TRY(auto counters, measure::count_events(*system.process_table, *system.perf_events,
                                                live[arm].tree_root(), set, [&]() -> Status {
                                                  HONE_TRY(const auto result,
                                                           live[arm].slice(slice));
                                                  ok = result.ok;
                                                  HONE_TRY(const auto after, live.quiet_usage(arm));
                                                  static_cast<void>(after);
                                                  return {};
                                                }));
  for (measure::Counter& counter : counters) {
    if (counter.unavailable.empty()) counter.ok = ok;
    trial->events.push_back(std::move(counter));
  }
  return {};
}

Finding cpu_view_finding(const std::string& arm, double beyond_s, double cpu_s) {
  const std::string part =
      "arm " + arm + ": " + format_percent(std::abs(beyond_s) / cpu_s) + " of its CPU was ";
  if (beyond_s > 0) {
    return {
        "prove.cpu-views", "info",
        part + "seen by its control group alone, not by the clocks of its processes",
        "it is charged; children that live for a moment and that nobody waits for are like that"};
  }
  return {"prove.cpu-views", "info", part + "spent outside of its control group",
          "it is charged; a process that moves to another group does this"};
}

}  // namespace

Findings cpu_view_findings(const std::vector<Round>& rounds) {
  struct Views {
    double beyond_s = 0, cpu_s = 0;
  };
  std::map<std::string, Views> by_arm;
  for (const Round& round : rounds) {
    for (const Trial& trial : round.trials) {
      if (!round.valid) continue;
      by_arm[trial.arm].beyond_s += trial.beyond_clocks_s;
      by_arm[trial.arm].cpu_s += trial.cpu_total_s;
    }
  }
  Findings findings;
  for (const auto& [arm, views] : by_arm) {
    if (views.beyond_s != 0) {
      findings.push_back(cpu_view_finding(arm, views.beyond_s, views.cpu_s));
    }
  }
  return findings;
}

void add_beside(const measure::SliceCost& cost, Trial* trial) {
  trial->preempted += cost.preempted;
  trial->minor_faults += cost.minor_faults;
  trial->major_faults += cost.major_faults;
  trial->run_delay_s += cost.run_delay_s;
  trial->beyond_clocks_s += cost.beyond_clocks_s;
  if (trial->events.empty()) trial->events.push_back({measure::kCgroupCounter, 0, 0, ""});
  measure::Counter& group = trial->events.front();
  group.unavailable = cost.no_cgroup;
  if (!cost.cgroup_cpu_s) return;
  group.count += *cost.cgroup_cpu_s * 1e6;
  group.ok = trial->ok;
}

Result<ArmThreads> read_threads(LiveArms& live, const system::System& system) {
  ArmThreads threads;
  for (const std::size_t arm : live.arms()) {
    threads.resize(std::max(threads.size(), arm + 1));
    HONE_TRY(threads[arm], system.process_table->threads(live[arm].tree_root()));
  }
  return threads;
}

void note_threads(const LiveArms& live, const ArmThreads& before, const ArmThreads& after,
                  Round* round) {
  for (const std::size_t arm : live.arms()) {
    round->trials[arm].threads = measure::thread_costs(before[arm], after[arm]);
  }
}

Status count_arm_events(LiveArms& live, const LiveArms::MakeSlice& make_slice, double slice_s,
                        system::System& system, Round* round) {
  std::vector<std::size_t> arms = live.arms();
  const std::vector<measure::EventSet>& sets = measure::event_sets();
  for (std::size_t set = 0; set < sets.size(); ++set) {
    for (const std::size_t arm : arms) {
      HONE_CHECK(system::check_interrupted());
      HONE_CHECK(live.on_arm(arm, [&] {
        // The same arrivals for every arm.
        return count_set(live, arm, sets[set], make_slice(slice_s, kEventPurpose + set), system,
                         &round->trials[arm]);
      }));
      if (live.failed()) return {};
    }
    std::reverse(arms.begin(), arms.end());  // whoever was first is last in the next set
  }
  return {};
}

}  // namespace hone::pipeline
