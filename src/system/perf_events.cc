// One group per thread that is there already: an event that is attached to a process counts its
// first thread and what that thread starts later, not its present siblings. A group of one CPU
// (cpu >= 0, pid -1) was rejected, because it would count the idle spinner; one of a cgroup needs a
// controller that many machines lack.
#include "system/perf_events.h"

#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <optional>

#include "base/text.h"
#include "system/descriptor.h"
#include "system/os_error.h"
#include "system/proc.h"
#include "system/real.h"

namespace hone::system {
namespace {

constexpr std::uint64_t cache_misses_of(std::uint64_t cache) {
  return cache | (PERF_COUNT_HW_CACHE_OP_READ << 8) | (PERF_COUNT_HW_CACHE_RESULT_MISS << 16);
}

perf_event_attr attributes_of(PerfEvent event) {
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
    // Software events are raised inside the kernel and would count nothing without it.
    case PerfEvent::kTaskClock:
      set(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, true, true);
      break;
    case PerfEvent::kPageFaults:
      set(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, true, true);
      break;
    case PerfEvent::kContextSwitches:
      set(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES, true, true);
      break;
  }
  return attributes;
}

Error refusal(int error_number) {
  const auto because = [](ErrorKind kind, const std::string& why, const std::string& next) {
    return Error{kind, "not available here: " + why, {}, next, {}};
  };
  switch (error_number) {
    case EACCES:
    case EPERM: {
      const auto paranoid = read_proc("/proc/sys/kernel/perf_event_paranoid");
      return because(ErrorKind::kPermission,
                     "the kernel does not let " + user_name() +
                         " count events (perf_event_paranoid " +
                         (paranoid ? trim(*paranoid) : "unknown") + ")",
                     "run as root, or sysctl kernel.perf_event_paranoid=1");
    }
    case ENOSYS:
      return because(ErrorKind::kNotFound, "the kernel was built without performance events", "");
    case EMFILE:
    case ENFILE:
      return because(ErrorKind::kIo, "too few file descriptors for every thread's counters",
                     "ulimit -n 65536");
    // As perf_event_open(2) answers where the CPU, or the hypervisor in front of it, has no such
    // counter; EINVAL is what some drivers say for a cache that they cannot count.
    case ENOENT:
    case ENODEV:
    case EOPNOTSUPP:
    case EINVAL:
      return because(ErrorKind::kNotFound, "this machine has no such counter", "");
    default:
      return because(ErrorKind::kIo, os_message(error_number), "");
  }
}

// The events of one thread.
class ThreadGroup {
 public:
  // Whether `event` is now counted; errno is what perf_event_open left.
  bool add(pid_t thread, PerfEvent event) {
    perf_event_attr attributes = attributes_of(event);
    const int leader = members_.empty() ? -1 : members_.front().fd();
    const long fd =
        ::syscall(SYS_perf_event_open, &attributes, thread, -1, leader, PERF_FLAG_FD_CLOEXEC);
    if (fd < 0) return false;
    members_.emplace_back(static_cast<int>(fd));
    return true;
  }
  bool empty() const { return members_.empty(); }

  // Values in the order in which events were added.
  Result<EventReading> read() const {
    // How many, time enabled, time running, then the values (perf_event_open(2)).
    std::vector<std::uint64_t> words(3 + members_.size());
    const std::size_t bytes = words.size() * sizeof words[0];
    const ssize_t got = ::read(members_.front().fd(), words.data(), bytes);
    if (got != static_cast<ssize_t>(bytes)) {
      return fail(ErrorKind::kIo, "cannot read event counters: " +
                                      (got < 0 ? os_message(errno) : "the answer is too short"));
    }
    return EventReading{{words.begin() + 3, words.end()}, words[1], words[2]};
  }

 private:
  std::vector<Descriptor> members_;  // the first leads
};

class RealGroup : public EventGroup {
 public:
  explicit RealGroup(std::size_t events) : unavailable_(events) {}

  // Which events there are is found out on the first thread; the others must have them too.
  Status attach(const std::vector<pid_t>& threads, const std::vector<PerfEvent>& events) {
    std::optional<Error> refused;
    for (const pid_t thread : threads) {
      const bool first = groups_.empty();
      ThreadGroup group;
      for (std::size_t i = 0; i < events.size(); ++i) {
        if (!unavailable_[i].empty() || group.add(thread, events[i])) continue;
        if (errno == ESRCH) {  // it has ended meanwhile
          group = ThreadGroup();
          break;
        }
        const Error error = refusal(errno);
        if (!first || error.kind != ErrorKind::kNotFound) return tl::make_unexpected(error);
        unavailable_[i] = error.what;
        if (!refused) refused = error;
      }
      if (!group.empty()) groups_.push_back(std::move(group));
      if (first && refused && groups_.empty()) return tl::make_unexpected(*refused);
    }
    if (groups_.empty()) return fail(ErrorKind::kNotFound, "its threads have ended");
    return {};
  }

  Result<EventReading> read() const override {
    EventReading sum;
    sum.counts.resize(unavailable_.size());
    for (const ThreadGroup& group : groups_) {
      HONE_TRY(const EventReading one, group.read());
      std::size_t next = 0;
      for (std::size_t i = 0; i < unavailable_.size(); ++i) {
        if (unavailable_[i].empty()) sum.counts[i] += one.counts[next++];
      }
      sum.enabled_ns += one.enabled_ns;
      sum.running_ns += one.running_ns;
    }
    return sum;
  }
  const std::vector<std::string>& unavailable() const override { return unavailable_; }

 private:
  std::vector<ThreadGroup> groups_;
  std::vector<std::string> unavailable_;
};

class RealPerfEvents : public PerfEvents {
 public:
  Result<std::unique_ptr<EventGroup>> open(const std::vector<pid_t>& threads,
                                           const std::vector<PerfEvent>& events) override {
    auto group = std::make_unique<RealGroup>(events.size());
    HONE_CHECK(group->attach(threads, events));
    return group;
  }
};

}  // namespace

std::unique_ptr<PerfEvents> real_perf_events() { return std::make_unique<RealPerfEvents>(); }

}  // namespace hone::system
