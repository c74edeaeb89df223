#include "system/perf_attributes.h"

#include <optional>

#include "system/syscall_classes.h"
#include "system/sysfs_events.h"
#include "system/tracepoints.h"

namespace hone::system {
namespace {

constexpr std::uint64_t cache_misses_of(std::uint64_t cache) {
  return cache | (PERF_COUNT_HW_CACHE_OP_READ << 8) | (PERF_COUNT_HW_CACHE_RESULT_MISS << 16);
}

// `told`: the numbers of an event that has none of its own and is looked up on this machine.
perf_event_attr attributes_of(PerfEvent event, const SysfsEvent& told) {
  perf_event_attr attributes{};
  attributes.size = sizeof attributes;
  attributes.read_format =
      PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
  attributes.inherit = 1;
  attributes.exclude_guest = 1;
  const auto set = [&](std::uint32_t type, std::uint64_t config, bool user, bool kernel) {
    attributes.type = type;
    attributes.config = config;
    attributes.exclude_user = user ? 0 : 1;
    attributes.exclude_kernel = kernel ? 0 : 1;
  };
  switch (event) {
    case PerfEvent::kCyclesUser:
      set(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, true, false);
      break;
    case PerfEvent::kCyclesKernel:
      set(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, false, true);
      break;
    case PerfEvent::kInstructionsUser:
      set(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, true, false);
      break;
    case PerfEvent::kInstructionsKernel:
      set(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, false, true);
      break;
    case PerfEvent::kBranchMissesUser:
      set(PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES, true, false);
      break;
    case PerfEvent::kL1iMissesUser:
      set(PERF_TYPE_HW_CACHE, cache_misses_of(PERF_COUNT_HW_CACHE_L1I), true, false);
      break;
    case PerfEvent::kItlbMissesUser:
      set(PERF_TYPE_HW_CACHE, cache_misses_of(PERF_COUNT_HW_CACHE_ITLB), true, false);
      break;
    // Software events and tracepoints are raised inside the kernel and would count nothing without
    // it.
    case PerfEvent::kTaskClock:
      set(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, true, true);
      break;
    case PerfEvent::kPageFaults:
      set(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, true, true);
      break;
    case PerfEvent::kContextSwitches:
      set(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES, true, true);
      break;
    case PerfEvent::kTopdownSlots:
    case PerfEvent::kTopdownRetiring:
    case PerfEvent::kTopdownBadSpeculation:
    case PerfEvent::kTopdownFrontend:
    case PerfEvent::kTopdownBackend:
    case PerfEvent::kSyscalls:
    case PerfEvent::kSyscallsReceive:
    case PerfEvent::kSyscallsSend:
    case PerfEvent::kSyscallsWait:
    case PerfEvent::kSyscallsSockets:
    case PerfEvent::kSyscallsFiles:
    case PerfEvent::kSyscallsMemory:
    case PerfEvent::kSyscallsFutex:
    case PerfEvent::kSyscallsTime:
    case PerfEvent::kSyscallsOther:
      set(told.type, told.config, true, true);
      break;
  }
  return attributes;
}

// Of events that a CPU has under a name of its own; "" for others.
std::string sysfs_name(PerfEvent event) {
  switch (event) {
    case PerfEvent::kTopdownSlots:
      return "slots";
    case PerfEvent::kTopdownRetiring:
      return "topdown-retiring";
    case PerfEvent::kTopdownBadSpeculation:
      return "topdown-bad-spec";
    case PerfEvent::kTopdownFrontend:
      return "topdown-fe-bound";
    case PerfEvent::kTopdownBackend:
      return "topdown-be-bound";
    default:
      return "";
  }
}

Result<SysfsEvent> sys_enter_tracepoint() {
  return tracepoint_number("raw_syscalls/sys_enter").map([](std::uint64_t number) {
    return SysfsEvent{PERF_TYPE_TRACEPOINT, number};
  });
}

}  // namespace

std::vector<Result<CountedEvent>> counted_events(const std::vector<PerfEvent>& events) {
  std::optional<Result<SysfsEvent>> sys_enter;  // looked up once, and only if asked for
  std::vector<Result<CountedEvent>> counted;
  for (const PerfEvent event : events) {
    const std::optional<std::string> filter = sys_enter_filter(event);
    const std::string name = sysfs_name(event);
    if (filter && !sys_enter) sys_enter = sys_enter_tracepoint();
    const Result<SysfsEvent> told = filter          ? *sys_enter
                                    : !name.empty() ? cpu_event(kEventSources, name)
                                                    : SysfsEvent{};
    counted.push_back(told.map([&](const SysfsEvent& numbers) {
      return CountedEvent{attributes_of(event, numbers), filter.value_or("")};
    }));
  }
  return counted;
}

}  // namespace hone::system
