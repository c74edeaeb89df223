// When is a process tree quiet? A running thread's CPU clock is brought up to date only when it
// leaves its CPU or at a tick, so two equal reads prove nothing if no tick lies between them. Ticks
// are 1 to 10 ms apart (CONFIG_HZ 1000 to 100); reads over 10 ms therefore catch whoever runs, and
// the state R catches a main thread even sooner. Waiting for a voluntary switch of every thread was
// rejected: a thread that sleeps already will not make one.
#include "measure/counters/usage.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "base/text.h"
#include "base/units.h"
#include "system/interrupt.h"

namespace hone::measure {
namespace {

using system::Duration;
using system::Instant;
using system::ProcessTable;
using system::TreeUsage;

// Long enough for a server to finish what it does after the last answer (log line, timer re-arm),
// short against a slice of 500 ms.
constexpr Duration kBetweenReads = std::chrono::milliseconds(5);

// The longest tick, CONFIG_HZ=100.
constexpr Duration kQuietFor = std::chrono::milliseconds(10);

// 20 us in 5 ms are 0.4 % of a CPU: a timer or two of an idle server, and below a ten-thousandth of
// what a slice of 500 ms at 60 % busy costs.
constexpr std::int64_t kIdleNs = 20'000;

// Clocks and group are read one after the other, before and after, and an idle server's own timers
// may run in between; beyond that a tenth of the smallest effect that matters (1 %).
constexpr std::int64_t kReadApartNs = 2 * kIdleNs;
constexpr double kGroupAgreement = 0.001;
// Ended children's time is told in ticks of 10 ms, user and system rounded down each.
constexpr double kEndedStepS = 0.02;

// A hundred threads of a pool that do nothing say nothing about how work is spread.
constexpr double kLeastThreadShare = 0.01;

// More names than this do not help a reader.
constexpr std::size_t kNamesShown = 4;

Result<bool> nobody_runs(const ProcessTable& table, pid_t root) {
  HONE_TRY(const std::vector<system::ProcessInfo> members, table.tree(root));
  return std::none_of(members.begin(), members.end(),
                      [](const system::ProcessInfo& member) { return member.state == 'R'; });
}

bool agree(const TreeUsage& before, const TreeUsage& after) {
  const std::int64_t used = after.cpu_ns - before.cpu_ns;
  return before.pids == after.pids && used >= 0 && used <= kIdleNs;
}

// "nginx (thread 4711) used 9.9 ms in 10 ms", the busiest first.
Result<std::string> who_runs(const ProcessTable& table, system::Clock& clock, pid_t root) {
  HONE_TRY(const std::vector<system::ThreadUsage> before, table.threads(root));
  const Instant start = clock.now();
  clock.sleep(kQuietFor);
  HONE_TRY(std::vector<system::ThreadUsage> after, table.threads(root));
  const std::string window = format_duration(system::to_seconds(clock.now() - start));

  std::map<pid_t, std::int64_t> earlier;
  for (const system::ThreadUsage& thread : before) earlier[thread.tid] = thread.cpu_ns;
  for (system::ThreadUsage& thread : after) {
    if (const auto found = earlier.find(thread.tid); found != earlier.end()) {
      thread.cpu_ns -= found->second;
    }
  }
  std::sort(after.begin(), after.end(),
            [](const auto& left, const auto& right) { return left.cpu_ns > right.cpu_ns; });
  std::vector<std::string> names;
  for (const system::ThreadUsage& thread : after) {
    if (thread.cpu_ns <= 0 || names.size() == kNamesShown) break;
    names.push_back(fmt::format("{} (thread {}) used {} in {}", thread.name, thread.tid,
                                format_duration(static_cast<double>(thread.cpu_ns) * 1e-9),
                                window));
  }
  return join(names, ", ");
}

tl::unexpected<Error> never_quiet(const ProcessTable& table, system::Clock& clock, pid_t root,
                                  Duration limit, bool members_changed) {
  const Result<std::string> who = who_runs(table, clock, root);
  std::string why = who && !who->empty() ? *who : "";
  if (why.empty()) {
    why = members_changed ? "its processes kept coming and going"
                          : "its CPU clock kept moving, though no thread was seen running";
  }
  return fail(
      ErrorKind::kTimeout,
      fmt::format("the server did not come to rest within {} after the load had stopped: {}",
                  format_duration(system::to_seconds(limit)), why),
      "its CPU cannot be told apart from what requests cost: switch off what it does by "
      "itself (health checks, statistics timers, busy polling), then try again");
}

template <typename T>
T grown_by(T before, T after) {
  return after > before ? after - before : T{};
}

// `cost` has the CPU of the clocks.
void charge_larger(const TreeUsage& before, const TreeUsage& after, SliceCost* cost) {
  cost->no_cgroup = after.no_cgroup;
  if (!before.cgroup_cpu_ns || !after.cgroup_cpu_ns) return;
  const double group_s =
      static_cast<double>(grown_by(*before.cgroup_cpu_ns, *after.cgroup_cpu_ns)) * 1e-9;
  cost->cgroup_cpu_s = group_s;
  const bool children_ended = before.ended_cpu_ns != after.ended_cpu_ns;
  const double beyond_s = group_s - cost->cpu_s;
  const double bound_s = static_cast<double>(kReadApartNs) * 1e-9 + kGroupAgreement * cost->cpu_s +
                         (children_ended ? kEndedStepS : 0);
  if (std::abs(beyond_s) > bound_s) {
    cost->beyond_clocks_s = beyond_s;
    cost->cpu_s = std::max(cost->cpu_s, group_s);
  } else if (children_ended) {
    cost->cpu_s = group_s;
  }
}

}  // namespace

Result<TreeUsage> read_when_quiet(const ProcessTable& table, system::Clock& clock, pid_t root,
                                  Duration limit) {
  const Instant give_up = clock.now() + limit;
  HONE_TRY(TreeUsage last, table.usage(root));
  Instant quiet_since = clock.now();
  bool members_changed = false;
  while (true) {
    HONE_CHECK(system::check_interrupted());
    clock.sleep(kBetweenReads);
    HONE_TRY(TreeUsage now, table.usage(root));
    HONE_TRY(const bool at_rest, nobody_runs(table, root));
    const Instant read_at = clock.now();
    if (!agree(last, now) || !at_rest) {
      quiet_since = read_at;
      members_changed = last.pids != now.pids;
    } else if (read_at - quiet_since >= kQuietFor) {
      return now;
    }
    last = std::move(now);
    if (read_at >= give_up) return never_quiet(table, clock, root, limit, members_changed);
  }
}

SliceCost difference(const TreeUsage& before, const TreeUsage& after) {
  SliceCost cost;
  cost.cpu_s = static_cast<double>(grown_by(before.cpu_ns, after.cpu_ns)) * 1e-9;
  cost.wakes = grown_by(before.wakes, after.wakes);
  cost.preempted = grown_by(before.preempted, after.preempted);
  cost.minor_faults = grown_by(before.minor_faults, after.minor_faults);
  cost.major_faults = grown_by(before.major_faults, after.major_faults);
  cost.run_delay_s = static_cast<double>(grown_by(before.run_delay_ns, after.run_delay_ns)) * 1e-9;
  cost.user_s = grown_by(before.user_s, after.user_s);
  cost.system_s = grown_by(before.system_s, after.system_s);
  charge_larger(before, after, &cost);
  cost.restarted = before.pids != after.pids ||
                   (!cost.cgroup_cpu_s && before.ended_cpu_ns != after.ended_cpu_ns);
  return cost;
}

std::vector<ThreadCost> thread_costs(const std::vector<system::ThreadUsage>& before,
                                     const std::vector<system::ThreadUsage>& after) {
  std::map<pid_t, const system::ThreadUsage*> earlier;
  for (const system::ThreadUsage& thread : before) earlier[thread.tid] = &thread;
  std::vector<ThreadCost> costs;
  double all_s = 0;
  for (const system::ThreadUsage& now : after) {
    system::ThreadUsage from;
    if (const auto found = earlier.find(now.tid); found != earlier.end()) from = *found->second;
    ThreadCost cost;
    cost.name = now.name;
    cost.cpu_s = static_cast<double>(grown_by(from.cpu_ns, now.cpu_ns)) * 1e-9;
    cost.wakes = grown_by(from.wakes, now.wakes);
    if (now.migrations) cost.migrations = grown_by(from.migrations.value_or(0), *now.migrations);
    all_s += cost.cpu_s;
    costs.push_back(std::move(cost));
  }
  std::erase_if(costs, [&](const ThreadCost& cost) {
    return cost.cpu_s <= 0 || cost.cpu_s < kLeastThreadShare * all_s;
  });
  std::sort(costs.begin(), costs.end(),
            [](const ThreadCost& a, const ThreadCost& b) { return a.cpu_s > b.cpu_s; });
  return costs;
}

}  // namespace hone::measure
