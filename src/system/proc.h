// /proc as values: parsers that take text (and so are tested without a kernel), and the few reads
// that the process table and the supervisor share. A process may vanish between any two reads; then
// it is left out.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "system/process_tree.h"

namespace hone::system {

struct ProcStat {  // /proc/PID/stat; times in ticks
  pid_t pid = 0;
  pid_t parent = 0;
  char state = '?';
  std::string name;
  std::uint64_t minor_faults = 0;
  std::uint64_t ended_minor_faults = 0;  // of children that were waited for
  std::uint64_t major_faults = 0;
  std::uint64_t ended_major_faults = 0;
  std::uint64_t user_ticks = 0;
  std::uint64_t system_ticks = 0;
  std::uint64_t ended_user_ticks = 0;  // of children that were waited for
  std::uint64_t ended_system_ticks = 0;
  int threads = 0;
  std::uint64_t start_ticks = 0;
};
// The name may hold spaces and brackets: fields are counted from the last ')'.
std::optional<ProcStat> parse_stat(std::string_view text);

struct Switches {  // from /proc/PID/task/TID/status
  std::uint64_t voluntary = 0;
  std::uint64_t involuntary = 0;
};
std::optional<Switches> parse_switches(std::string_view status);

struct SchedStat {  // /proc/PID/task/TID/schedstat
  std::int64_t cpu_ns = 0;
  std::int64_t run_delay_ns = 0;
};
std::optional<SchedStat> parse_schedstat(std::string_view text);

// nr_migrations of /proc/PID/task/TID/sched; only kernels with CONFIG_SCHED_DEBUG have that file.
std::optional<std::uint64_t> parse_migrations(std::string_view sched);

// Socket inodes that listen on `port`, from /proc/net/tcp or tcp6.
std::vector<std::uint64_t> listening_inodes(std::string_view table, std::uint16_t port);
// "socket:[123]" -> 123
std::optional<std::uint64_t> socket_inode(std::string_view link);

// One CPU's line of /proc/stat.
std::optional<CpuTimes> parse_cpu_times(std::string_view proc_stat, int cpu, long ticks_per_second);

std::optional<std::string> read_proc(const std::string& path);
std::vector<pid_t> numbered_entries(const std::string& directory);  // sorted; empty when gone
std::vector<ProcStat> all_processes();
// Every descendant of `root` among `all`, parents before their children, without root.
std::vector<ProcStat> descendants(const std::vector<ProcStat>& all, pid_t root);

}  // namespace hone::system
