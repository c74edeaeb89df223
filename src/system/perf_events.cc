// One group per thread that is there already: an event that is attached to a process counts its
// first thread and what that thread starts later, not its present siblings. A group of one CPU
// (cpu >= 0, pid -1) was rejected, because it would count the idle spinner; one of a cgroup needs a
// controller that many machines lack.
#include "system/perf_events.h"

#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <optional>

#include "base/text.h"
#include "system/descriptor.h"
#include "system/os_error.h"
#include "system/perf_attributes.h"
#include "system/proc.h"
#include "system/real.h"

namespace hone::system {
namespace {

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
  // Whether `event` is now counted; errno tells why it is not.
  bool add(pid_t thread, const CountedEvent& event) {
    perf_event_attr attributes = event.attributes;
    const int leader = members_.empty() ? -1 : members_.front().fd();
    Descriptor member(static_cast<int>(
        ::syscall(SYS_perf_event_open, &attributes, thread, -1, leader, PERF_FLAG_FD_CLOEXEC)));
    if (!member.open()) return false;
    if (!event.filter.empty() &&
        ::ioctl(member.fd(), PERF_EVENT_IOC_SET_FILTER, event.filter.c_str()) != 0) {
      return false;
    }
    members_.push_back(std::move(member));
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
    const std::vector<Result<CountedEvent>> counted = counted_events(events);
    std::optional<Error> refused;
    for (std::size_t i = 0; i < counted.size(); ++i) {
      if (counted[i]) continue;
      unavailable_[i] = counted[i].error().what;
      if (!refused) refused = counted[i].error();
    }
    for (const pid_t thread : threads) {
      const bool first = groups_.empty();
      ThreadGroup group;
      for (std::size_t i = 0; i < counted.size(); ++i) {
        if (!unavailable_[i].empty() || group.add(thread, *counted[i])) continue;
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
