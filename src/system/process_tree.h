// What the kernel tells about a running process tree: members, CPU, wakes, listening ports.
// The tree of `root` is every descendant of it, without root itself (root is a supervisor).
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"

namespace hone::system {

struct ProcessInfo {
  pid_t pid = 0;
  pid_t parent = 0;
  char state = '?';  // as in /proc/PID/stat
  std::string name;
  std::uint64_t start_ticks = 0;  // since boot: tells a reused pid apart
};

// CPU and wakes of a tree so far. Nanoseconds come from each process's own CPU clock
// (clock_getcpuclockid); a *running* thread's clock lags up to one tick, so read it when quiet.
struct TreeUsage {
  std::int64_t cpu_ns = 0;  // living members, plus what their ended children left (10 ms steps)
  std::int64_t ended_cpu_ns = 0;  // the part of cpu_ns that came from ended children
  // The same as the tree's own control group counts it (leaf_cgroup.h): members of any time, in
  // nanoseconds. Nothing without one, and then why.
  std::optional<std::int64_t> cgroup_cpu_ns = {};
  std::string no_cgroup = {};
  std::uint64_t wakes = 0;         // voluntary context switches, all threads of living members
  std::uint64_t preempted = 0;     // involuntary context switches
  std::int64_t run_delay_ns = 0;   // time runnable but waiting for a CPU (schedstat), all threads
  std::uint64_t minor_faults = 0;  // pages brought in without a disk; ended children included
  std::uint64_t major_faults = 0;  // with one
  double user_s = 0;               // sampled at ticks: only good from 5,000 ticks (50 s) on
  double system_s = 0;
  int processes = 0;
  int threads = 0;
  std::vector<pid_t> pids;  // sorted: a change between two reads is a restart
};

struct ThreadUsage {
  pid_t tid = 0;
  std::string name;
  std::int64_t cpu_ns = 0;
  std::uint64_t wakes = 0;                       // voluntary context switches
  std::optional<std::uint64_t> migrations = {};  // from CPU to CPU; not every kernel tells
};

// Interface, so that measuring is tested against a fake.
class ProcessTable {
 public:
  virtual ~ProcessTable() = default;
  virtual Result<std::vector<ProcessInfo>> tree(pid_t root) const = 0;
  virtual Result<TreeUsage> usage(pid_t root) const = 0;
  virtual Result<std::vector<ThreadUsage>> threads(pid_t root) const = 0;
  // Whether a TCP listener on `port` belongs to a member of the tree.
  virtual Result<bool> owns_listener(pid_t root, std::uint16_t port) const = 0;
  // Which process (any) listens on `port`: its name and pid as text, or "" when none is seen.
  virtual std::string listener_of(std::uint16_t port) const = 0;
};

// Whole-CPU times from /proc/stat since boot, in seconds (ticks of 10 ms).
struct CpuTimes {
  double user = 0, nice = 0, system = 0, idle = 0, iowait = 0, irq = 0, softirq = 0, steal = 0;
  double busy() const { return user + nice + system + irq + softirq; }
};
Result<CpuTimes> cpu_times(int cpu);

}  // namespace hone::system
