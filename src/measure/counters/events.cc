// Counting is not free: every switch between threads then loads and stores the CPU's counters, and
// in a virtual machine each of those may leave it. So events are counted in slices of their own,
// and each set has the counters to itself: two sets at once would share them in turns, and half of
// each figure would be a guess.
#include "measure/counters/events.h"

#include <fmt/format.h>

#include <memory>

#include "base/units.h"

namespace hone::measure {
namespace {

using system::EventGroup;
using system::EventReading;
using system::PerfEvent;

// Scaling assumes that the time not counted was like the rest; at 5 % of it, an assumption that is
// off by a tenth moves the figure by half of the smallest effect that matters.
constexpr double kLeastRunning = 0.95;

// A server that starts threads while hone attaches to them is attached to again.
constexpr int kAttempts = 3;

Result<std::vector<pid_t>> threads_of(const system::ProcessTable& table, pid_t root) {
  HONE_TRY(const std::vector<system::ThreadUsage> threads, table.threads(root));
  std::vector<pid_t> tids;
  for (const system::ThreadUsage& thread : threads) tids.push_back(thread.tid);
  return tids;
}

// `*why`: the reason, where nothing can be counted; an error is that of reading the tree.
Result<std::unique_ptr<EventGroup>> attach(const system::ProcessTable& table,
                                           system::PerfEvents& events, pid_t root,
                                           const EventSet& set, std::string* why) {
  HONE_TRY(std::vector<pid_t> threads, threads_of(table, root));
  for (int i = 0; i < kAttempts; ++i) {
    auto group = events.open(threads, set);
    if (!group && group.error().kind == ErrorKind::kPermission) {
      *why = group.error().what;
      return nullptr;
    }
    HONE_TRY(std::vector<pid_t> now, threads_of(table, root));
    if (now == threads) {
      if (group) return group;
      *why = group.error().what;
      return nullptr;
    }
    threads = std::move(now);
  }
  *why = "not available here: its threads kept coming and going";
  return nullptr;
}

std::vector<Counter> without_figures(const EventSet& set, const std::string& why) {
  std::vector<Counter> counters;
  for (const PerfEvent event : set) counters.push_back({name(event), 0, 0, why});
  return counters;
}

std::vector<Counter> between(const EventSet& set, const EventGroup& group,
                             const EventReading& before, const EventReading& after) {
  const auto enabled = static_cast<double>(after.enabled_ns - before.enabled_ns);
  const auto running = static_cast<double>(after.running_ns - before.running_ns);
  if (enabled <= 0) return without_figures(set, "not counted: it did not run meanwhile");
  const double share = running / enabled;
  if (share < kLeastRunning) {
    return without_figures(
        set, fmt::format("not counted: the CPU's counters were in other hands for {} of the time "
                         "(limit {}); see whether another profiler runs",
                         format_percent(1 - share), format_percent(1 - kLeastRunning, 0)));
  }
  std::vector<Counter> counters = without_figures(set, "");
  for (std::size_t i = 0; i < set.size(); ++i) {
    counters[i].unavailable = group.unavailable()[i];
    if (!counters[i].unavailable.empty()) continue;
    counters[i].count = static_cast<double>(after.counts[i] - before.counts[i]) / share;
  }
  return counters;
}

}  // namespace

const char* name(PerfEvent event) {
  switch (event) {
    case PerfEvent::kCyclesUser:
      return "cycles, user";
    case PerfEvent::kCyclesKernel:
      return "cycles, kernel";
    case PerfEvent::kInstructionsUser:
      return "instructions, user";
    case PerfEvent::kInstructionsKernel:
      return "instructions, kernel";
    case PerfEvent::kBranchMissesUser:
      return "branch misses, user";
    case PerfEvent::kL1iMissesUser:
      return "L1i misses, user";
    case PerfEvent::kItlbMissesUser:
      return "iTLB misses, user";
    case PerfEvent::kTopdownSlots:
      return "top-down slots";
    case PerfEvent::kTopdownRetiring:
      return "top-down: retiring";
    case PerfEvent::kTopdownBadSpeculation:
      return "top-down: bad speculation";
    case PerfEvent::kTopdownFrontend:
      return "top-down: frontend bound";
    case PerfEvent::kTopdownBackend:
      return "top-down: backend bound";
    case PerfEvent::kTaskClock:
      return "task clock, ns";
    case PerfEvent::kPageFaults:
      return "page faults";
    case PerfEvent::kContextSwitches:
      return "context switches";
    case PerfEvent::kSyscalls:
      return "system calls";
    case PerfEvent::kSyscallsReceive:
      return "system calls: read or receive";
    case PerfEvent::kSyscallsSend:
      return "system calls: write or send";
    case PerfEvent::kSyscallsWait:
      return "system calls: poll or wait";
    case PerfEvent::kSyscallsSockets:
      return "system calls: sockets";
    case PerfEvent::kSyscallsFiles:
      return "system calls: files";
    case PerfEvent::kSyscallsMemory:
      return "system calls: memory";
    case PerfEvent::kSyscallsFutex:
      return "system calls: futex";
    case PerfEvent::kSyscallsTime:
      return "system calls: time";
    case PerfEvent::kSyscallsOther:
      return "system calls: other";
  }
  return "";
}

const std::vector<EventSet>& event_sets() {
  // Intel and AMD CPUs since 2010 have at least four counters a thread, and Intel's fixed ones.
  static const std::vector<EventSet> kSets = {
      {PerfEvent::kCyclesUser, PerfEvent::kCyclesKernel, PerfEvent::kInstructionsUser,
       PerfEvent::kInstructionsKernel},
      {PerfEvent::kBranchMissesUser, PerfEvent::kL1iMissesUser, PerfEvent::kItlbMissesUser},
      {PerfEvent::kTopdownSlots, PerfEvent::kTopdownRetiring, PerfEvent::kTopdownBadSpeculation,
       PerfEvent::kTopdownFrontend, PerfEvent::kTopdownBackend},
      {PerfEvent::kSyscalls, PerfEvent::kSyscallsReceive, PerfEvent::kSyscallsSend,
       PerfEvent::kSyscallsWait, PerfEvent::kSyscallsSockets, PerfEvent::kSyscallsFiles,
       PerfEvent::kSyscallsMemory, PerfEvent::kSyscallsFutex, PerfEvent::kSyscallsTime,
       PerfEvent::kSyscallsOther}};
  return kSets;
}

Result<std::vector<Counter>> count_events(const system::ProcessTable& table,
                                          system::PerfEvents& events, pid_t root,
                                          const EventSet& set,
                                          const std::function<Status()>& work) {
  std::string why;
  HONE_TRY(const std::unique_ptr<EventGroup> group, attach(table, events, root, set, &why));
  if (!group) return without_figures(set, why);
  const Result<EventReading> before = group->read();
  if (!before) return without_figures(set, before.error().what);
  HONE_CHECK(work());
  const Result<EventReading> after = group->read();
  if (!after) return without_figures(set, after.error().what);
  return between(set, *group, *before, *after);
}

}  // namespace hone::measure
