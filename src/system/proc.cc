#include "system/proc.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <memory>
#include <unordered_map>

#include "base/text.h"
#include "system/descriptor.h"

namespace hone::system {
namespace {

template <typename T>
bool read_number(std::string_view text, T& value, int base = 10) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  return error == std::errc{} && end == text.data() + text.size();
}

// The number after `label` at the start of a line of /proc/PID/status.
std::optional<std::uint64_t> labelled(std::string_view text, std::string_view label) {
  std::size_t at = 0;
  while ((at = text.find(label, at)) != std::string_view::npos) {
    if (at == 0 || text[at - 1] == '\n') {
      std::string_view rest = text.substr(at + label.size());
      std::uint64_t value = 0;
      if (read_number(trim(rest.substr(0, rest.find('\n'))), value)) return value;
      return std::nullopt;
    }
    at += label.size();
  }
  return std::nullopt;
}

struct CloseDirectory {
  void operator()(DIR* directory) const { ::closedir(directory); }
};

}  // namespace

std::optional<ProcStat> parse_stat(std::string_view text) {
  const std::size_t open = text.find('(');
  const std::size_t close = text.rfind(')');
  if (open == std::string_view::npos || close == std::string_view::npos || close < open)
    return std::nullopt;
  ProcStat stat;
  if (!read_number(trim(text.substr(0, open)), stat.pid)) return std::nullopt;
  stat.name = text.substr(open + 1, close - open - 1);
  // Fields after the name, numbered as in proc(5) less 3: 0 is the state (field 3 there).
  const std::vector<std::string> fields = split_words(text.substr(close + 1));
  if (fields.size() < 20 || fields[0].size() != 1) return std::nullopt;
  stat.state = fields[0][0];
  if (!read_number(fields[1], stat.parent) || !read_number(fields[7], stat.minor_faults) ||
      !read_number(fields[8], stat.ended_minor_faults) ||
      !read_number(fields[9], stat.major_faults) ||
      !read_number(fields[10], stat.ended_major_faults) ||
      !read_number(fields[11], stat.user_ticks) || !read_number(fields[12], stat.system_ticks) ||
      !read_number(fields[13], stat.ended_user_ticks) ||
      !read_number(fields[14], stat.ended_system_ticks) || !read_number(fields[17], stat.threads) ||
      !read_number(fields[19], stat.start_ticks))
    return std::nullopt;
  return stat;
}

std::optional<Switches> parse_switches(std::string_view status) {
  const auto voluntary = labelled(status, "voluntary_ctxt_switches:");
  const auto involuntary = labelled(status, "nonvoluntary_ctxt_switches:");
  if (!voluntary || !involuntary) return std::nullopt;
  return Switches{*voluntary, *involuntary};
}

std::optional<SchedStat> parse_schedstat(std::string_view text) {
  const std::vector<std::string> fields = split_words(text);
  SchedStat stat;
  if (fields.size() < 2 || !read_number(fields[0], stat.cpu_ns) ||
      !read_number(fields[1], stat.run_delay_ns))
    return std::nullopt;
  return stat;
}

std::optional<std::uint64_t> parse_migrations(std::string_view sched) {
  // "se.nr_migrations      :           12"
  static constexpr std::string_view kLabel = "se.nr_migrations";
  const std::size_t at = sched.find(kLabel);
  const std::size_t colon = at == std::string_view::npos ? at : sched.find(':', at);
  if (colon == std::string_view::npos) return std::nullopt;
  const std::string_view rest = sched.substr(colon + 1);
  std::uint64_t value = 0;
  if (!read_number(trim(rest.substr(0, rest.find('\n'))), value)) return std::nullopt;
  return value;
}

std::vector<std::uint64_t> listening_inodes(std::string_view table, std::uint16_t port) {
  // State 0A is TCP_LISTEN (include/net/tcp_states.h). Columns: slot, local address, remote
  // address, state, queues, timer, retransmits, uid, timeout, inode.
  std::vector<std::uint64_t> inodes;
  for (const std::string& line : split(table, '\n')) {
    const std::vector<std::string> fields = split_words(line);
    if (fields.size() < 10 || fields[3] != "0A") continue;
    const std::size_t colon = fields[1].rfind(':');
    if (colon == std::string::npos) continue;
    std::uint16_t local_port = 0;
    std::uint64_t inode = 0;
    if (read_number(std::string_view(fields[1]).substr(colon + 1), local_port, 16) &&
        local_port == port && read_number(fields[9], inode))
      inodes.push_back(inode);
  }
  return inodes;
}

std::optional<std::uint64_t> socket_inode(std::string_view link) {
  static constexpr std::string_view kPrefix = "socket:[";
  std::uint64_t inode = 0;
  if (!link.starts_with(kPrefix) || !link.ends_with(']')) return std::nullopt;
  link = link.substr(kPrefix.size(), link.size() - kPrefix.size() - 1);
  if (!read_number(link, inode)) return std::nullopt;
  return inode;
}

std::optional<CpuTimes> parse_cpu_times(std::string_view proc_stat, int cpu,
                                        long ticks_per_second) {
  const std::string label = "cpu" + std::to_string(cpu);
  for (const std::string& line : split(proc_stat, '\n')) {
    const std::vector<std::string> fields = split_words(line);
    if (fields.size() < 9 || fields[0] != label) continue;
    std::array<double, 8> seconds{};
    for (std::size_t i = 0; i < seconds.size(); ++i) {
      std::uint64_t ticks = 0;
      if (!read_number(fields[i + 1], ticks)) return std::nullopt;
      seconds[i] = static_cast<double>(ticks) / static_cast<double>(ticks_per_second);
    }
    return CpuTimes{seconds[0], seconds[1], seconds[2], seconds[3],
                    seconds[4], seconds[5], seconds[6], seconds[7]};
  }
  return std::nullopt;
}

std::optional<std::string> read_proc(const std::string& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.open()) return std::nullopt;
  std::string text;
  std::array<char, 4096> piece;  // what procfs fills in one go
  while (true) {
    const ssize_t got = ::read(file.fd(), piece.data(), piece.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return std::nullopt;  // the process has gone meanwhile
    if (got == 0) return text;
    text.append(piece.data(), static_cast<std::size_t>(got));
  }
}

std::vector<pid_t> numbered_entries(const std::string& directory) {
  std::vector<pid_t> numbers;
  const std::unique_ptr<DIR, CloseDirectory> open(::opendir(directory.c_str()));
  if (open == nullptr) return numbers;
  while (const dirent* entry = ::readdir(open.get())) {  // NOLINT(concurrency-mt-unsafe): own DIR
    pid_t number = 0;
    if (read_number(std::string_view(entry->d_name), number)) numbers.push_back(number);
  }
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

std::vector<ProcStat> all_processes() {
  std::vector<ProcStat> all;
  for (const pid_t pid : numbered_entries("/proc")) {
    const auto text = read_proc("/proc/" + std::to_string(pid) + "/stat");
    if (!text) continue;
    if (auto stat = parse_stat(*text)) all.push_back(*std::move(stat));
  }
  return all;
}

std::vector<ProcStat> descendants(const std::vector<ProcStat>& all, pid_t root) {
  std::unordered_multimap<pid_t, const ProcStat*> children;
  for (const ProcStat& process : all) children.emplace(process.parent, &process);
  std::vector<ProcStat> found;
  std::vector<pid_t> open = {root};
  for (std::size_t i = 0; i < open.size(); ++i) {
    // Pids may be used again in mid-scan; a loop of parents must not become a loop here.
    if (open.size() > all.size() + 1) break;
    const auto [begin, end] = children.equal_range(open[i]);
    for (auto child = begin; child != end; ++child) {
      if (child->second->pid == root) continue;
      open.push_back(child->second->pid);
      found.push_back(*child->second);
    }
  }
  return found;
}

}  // namespace hone::system
