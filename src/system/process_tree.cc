// How a tree's CPU is added up. Living members: each process's own CPU clock, in nanoseconds.
// Members that have ended: the kernel adds their CPU to whoever waited for them, which is a living
// member or the root (a subreaper); that figure comes in ticks of 10 ms. A cgroup would give both
// at once, but may not be made on many machines, or would be scheduled apart: where there is one,
// it is read as well (leaf_cgroup.h). A member that ends between two reads would be counted twice
// or not at all, so the scan is repeated until the members are the same before and after.
#include "system/process_tree.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <ctime>
#include <optional>

#include "system/leaf_cgroup.h"
#include "system/os_error.h"
#include "system/proc.h"
#include "system/real.h"

namespace hone::system {
namespace {

// A tree that changes during each of five scans is one that forks all the time (a shell script);
// the last scan is then as good as any.
constexpr int kScans = 5;

std::string proc_path(pid_t pid) { return "/proc/" + std::to_string(pid); }

std::optional<std::int64_t> process_cpu_ns(pid_t pid) {
  clockid_t clock{};
  timespec time{};
  if (::clock_getcpuclockid(pid, &clock) != 0 || ::clock_gettime(clock, &time) != 0)
    return std::nullopt;
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

void add_threads(pid_t pid, TreeUsage& usage) {
  const std::string tasks = proc_path(pid) + "/task/";
  for (const pid_t tid : numbered_entries(tasks)) {
    const std::string task = tasks + std::to_string(tid);
    const auto status = read_proc(task + "/status");
    const auto switches = status ? parse_switches(*status) : std::nullopt;
    if (!switches) continue;
    ++usage.threads;
    usage.wakes += switches->voluntary;
    usage.preempted += switches->involuntary;
    const auto schedstat = read_proc(task + "/schedstat");
    if (const auto parsed = schedstat ? parse_schedstat(*schedstat) : std::nullopt)
      usage.run_delay_ns += parsed->run_delay_ns;
  }
}

tl::unexpected<Error> root_is_gone(pid_t root) {
  return fail(ErrorKind::kNotFound, "process " + std::to_string(root) + " is not there any more");
}

struct Members {
  ProcStat root;
  std::vector<ProcStat> all;  // sorted by pid
};

std::optional<Members> scan(pid_t root) {
  const std::vector<ProcStat> all = all_processes();
  const auto found = std::find_if(all.begin(), all.end(),
                                  [root](const ProcStat& process) { return process.pid == root; });
  if (found == all.end()) return std::nullopt;
  Members members{*found, descendants(all, root)};
  std::sort(members.all.begin(), members.all.end(),
            [](const ProcStat& a, const ProcStat& b) { return a.pid < b.pid; });
  return members;
}

bool same_processes(const Members& a, const Members& b) {
  return std::equal(a.all.begin(), a.all.end(), b.all.begin(), b.all.end(),
                    [](const ProcStat& x, const ProcStat& y) {
                      return x.pid == y.pid && x.start_ticks == y.start_ticks &&
                             (x.state == 'Z') == (y.state == 'Z');
                    });
}

TreeUsage add_up(const Members& members) {
  const double ticks_per_second = static_cast<double>(::sysconf(_SC_CLK_TCK));
  TreeUsage usage;
  std::uint64_t user = members.root.ended_user_ticks;
  std::uint64_t system = members.root.ended_system_ticks;
  std::uint64_t ended = user + system;
  usage.minor_faults = members.root.ended_minor_faults;
  usage.major_faults = members.root.ended_major_faults;
  for (const ProcStat& process : members.all) {
    user += process.user_ticks + process.ended_user_ticks;
    system += process.system_ticks + process.ended_system_ticks;
    ended += process.ended_user_ticks + process.ended_system_ticks;
    usage.minor_faults += process.minor_faults + process.ended_minor_faults;
    usage.major_faults += process.major_faults + process.ended_major_faults;
    usage.cpu_ns += process_cpu_ns(process.pid).value_or(0);
    ++usage.processes;
    usage.pids.push_back(process.pid);
    add_threads(process.pid, usage);
  }
  usage.ended_cpu_ns = std::int64_t(static_cast<double>(ended) / ticks_per_second * 1e9);
  usage.cpu_ns += usage.ended_cpu_ns;
  usage.user_s = static_cast<double>(user) / ticks_per_second;
  usage.system_s = static_cast<double>(system) / ticks_per_second;
  return usage;
}

// Inodes of sockets that listen on `port`, over IPv4 and IPv6.
std::vector<std::uint64_t> listeners(std::uint16_t port) {
  std::vector<std::uint64_t> inodes;
  for (const char* table : {"/proc/net/tcp", "/proc/net/tcp6"}) {
    const auto text = read_proc(table);
    if (!text) continue;
    const std::vector<std::uint64_t> some = listening_inodes(*text, port);
    inodes.insert(inodes.end(), some.begin(), some.end());
  }
  return inodes;
}

enum class Holds { kNo, kYes, kNotReadable };

Holds holds_socket(pid_t pid, const std::vector<std::uint64_t>& inodes) {
  const std::string directory = proc_path(pid) + "/fd/";
  if (::access(directory.c_str(), R_OK) != 0 && errno == EACCES) return Holds::kNotReadable;
  for (const int fd : numbered_entries(directory)) {
    std::array<char, 64>
        target{};  // "socket:[" + 20 digits + "]" fits; longer ones are not sockets
    const ssize_t size =
        ::readlink((directory + std::to_string(fd)).c_str(), target.data(), target.size());
    // Root in a container may list the descriptors of another user's process and yet not read them.
    if (size < 0 && (errno == EACCES || errno == EPERM)) return Holds::kNotReadable;
    if (size <= 0) continue;
    const auto inode = socket_inode(std::string_view(target.data(), std::size_t(size)));
    if (inode && std::find(inodes.begin(), inodes.end(), *inode) != inodes.end())
      return Holds::kYes;
  }
  return Holds::kNo;
}

class RealProcessTable : public ProcessTable {
 public:
  RealProcessTable() : counting_group_(own_counting_group()) {}

  Result<std::vector<ProcessInfo>> tree(pid_t root) const override {
    const auto members = scan(root);
    if (!members) return root_is_gone(root);
    std::vector<ProcessInfo> infos;
    for (const ProcStat& process : members->all)
      infos.push_back(ProcessInfo{process.pid, process.parent, process.state, process.name,
                                  process.start_ticks});
    return infos;
  }

  Result<TreeUsage> usage(pid_t root) const override {
    auto members = scan(root);
    if (!members) return root_is_gone(root);
    for (int i = 1;; ++i) {
      TreeUsage usage = add_up(*members);
      add_cgroup(root, &usage);
      auto after = scan(root);
      if (!after) return root_is_gone(root);
      if (i == kScans || same_processes(*members, *after)) return usage;
      members = std::move(after);
    }
  }

  Result<std::vector<ThreadUsage>> threads(pid_t root) const override {
    const auto members = scan(root);
    if (!members) return root_is_gone(root);
    std::vector<ThreadUsage> found;
    for (const ProcStat& process : members->all) {
      const std::string tasks = proc_path(process.pid) + "/task/";
      for (const pid_t tid : numbered_entries(tasks)) {
        const std::string task = tasks + std::to_string(tid);
        const auto stat = read_proc(task + "/stat");
        const auto schedstat = read_proc(task + "/schedstat");
        const auto parsed_stat = stat ? parse_stat(*stat) : std::nullopt;
        const auto parsed = schedstat ? parse_schedstat(*schedstat) : std::nullopt;
        if (!parsed_stat || !parsed) continue;
        ThreadUsage thread{tid, parsed_stat->name, parsed->cpu_ns};
        const auto status = read_proc(task + "/status");
        if (const auto switches = status ? parse_switches(*status) : std::nullopt)
          thread.wakes = switches->voluntary;
        if (const auto sched = read_proc(task + "/sched"))
          thread.migrations = parse_migrations(*sched);
        found.push_back(std::move(thread));
      }
    }
    return found;
  }

  Result<bool> owns_listener(pid_t root, std::uint16_t port) const override {
    const std::vector<std::uint64_t> inodes = listeners(port);
    if (inodes.empty()) return false;
    const auto members = scan(root);
    if (!members) return root_is_gone(root);
    const ProcStat* hidden = nullptr;
    for (const ProcStat& process : members->all) {
      const Holds holds = holds_socket(process.pid, inodes);
      if (holds == Holds::kYes) return true;
      if (holds == Holds::kNotReadable) hidden = &process;
    }
    if (hidden == nullptr) return false;
    return fail(ErrorKind::kPermission,
                "cannot tell whether " + hidden->name + " (pid " + std::to_string(hidden->pid) +
                    ") listens on port " + std::to_string(port) +
                    ": its descriptors are hidden from " + user_name(),
                "run hone as root, or let the server run as " + user_name());
  }

  std::string listener_of(std::uint16_t port) const override {
    const std::vector<std::uint64_t> inodes = listeners(port);
    if (inodes.empty()) return "";
    for (const ProcStat& process : all_processes())
      if (holds_socket(process.pid, inodes) == Holds::kYes)
        return process.name + " (pid " + std::to_string(process.pid) + ")";
    return "";
  }

 private:
  void add_cgroup(pid_t root, TreeUsage* usage) const {
    if (!counting_group_) {
      usage->no_cgroup = counting_group_.error().what;
      return;
    }
    usage->cgroup_cpu_ns = LeafCgroup(*counting_group_, root).cpu_ns();
    if (!usage->cgroup_cpu_ns) usage->no_cgroup = "not used: none could be made for it";
  }

  // Of this process; its supervisors are in the same one.
  Result<CountingGroup> counting_group_;
};

}  // namespace

std::unique_ptr<ProcessTable> real_process_table() { return std::make_unique<RealProcessTable>(); }

Result<CpuTimes> cpu_times(int cpu) {
  const auto text = read_proc("/proc/stat");
  const auto times = text ? parse_cpu_times(*text, cpu, ::sysconf(_SC_CLK_TCK)) : std::nullopt;
  if (!times)
    return fail(ErrorKind::kIo, "/proc/stat has no line for CPU " + std::to_string(cpu),
                "choose a CPU that is online");
  return *times;
}

}  // namespace hone::system
