// /proc/self/cgroup names the group of each hierarchy, /proc/self/mountinfo where the hierarchy is
// mounted and which of its groups the mount shows at its top: in a container that is often the
// container's own group, and what lies above cannot be seen from inside. The usual paths under
// /sys/fs/cgroup are not assumed: hybrid set-ups mount version 2 under "unified".
#include "measure/machine/cgroups.h"

#include <algorithm>
#include <string>

#include "base/text.h"
#include "measure/machine/kernel_files.h"

namespace hone::measure {
namespace {

using system::Files;
using system::Path;

struct Mount {
  std::string top;  // the group that the mount point shows
  std::string point;
  std::string type;                  // "cgroup" or "cgroup2"
  std::vector<std::string> options;  // of the hierarchy: version 1's controllers are among them
};

// "31 23 0:28 /top /point rw,relatime shared:5 - type source options" (proc(5)).
std::vector<Mount> cgroup_mounts(const Files& files) {
  std::vector<Mount> mounts;
  const std::optional<std::string> text = read_trimmed(files, "/proc/self/mountinfo");
  if (!text) return mounts;
  for (const std::string& line : split(*text, '\n')) {
    const std::vector<std::string> words = split_words(line);
    const auto dash = std::find(words.begin(), words.end(), "-");
    if (words.size() < 6 || words.end() - dash < 4) continue;
    if (*(dash + 1) != "cgroup" && *(dash + 1) != "cgroup2") continue;
    // The kernel writes a space in a path as \040.
    mounts.push_back({replace_all(words[3], "\\040", " "), replace_all(words[4], "\\040", " "),
                      *(dash + 1), split(*(dash + 3), ',')});
  }
  return mounts;
}

// hone's own group as the mount shows it: an empty path for the mount's top.
Path below(const Mount& mount, const std::string& group) {
  if (mount.top == "/") return Path(group).relative_path();
  if (group.rfind(mount.top + "/", 0) == 0) return group.substr(mount.top.size() + 1);
  return {};  // the top itself, or a group outside of what this mount shows
}

void add_with_ancestors(const Mount& mount, const std::string& group, std::vector<Path>* folders) {
  Path folder = mount.point;
  std::vector<Path> downwards = {folder};
  for (const Path& part : below(mount, group)) {
    if (part.empty() || part == "." || part == "..") continue;
    downwards.push_back(folder /= part);
  }
  folders->insert(folders->end(), downwards.rbegin(), downwards.rend());
}

// Version 2 "max 100000" or "150000 100000"; version 1 two files, -1 for none.
std::optional<double> quota_of(const Files& files, const Path& folder) {
  double quota = -1, period = 0;
  if (const auto both = read_trimmed(files, folder / "cpu.max")) {
    const std::vector<std::string> words = split_words(*both);
    if (words.size() != 2 || words[0] == "max") return std::nullopt;
    quota = parse_double(words[0]).value_or(-1);
    period = parse_double(words[1]).value_or(0);
  } else {
    quota = read_number(files, folder / "cpu.cfs_quota_us").value_or(-1);
    period = read_number(files, folder / "cpu.cfs_period_us").value_or(0);
  }
  if (quota <= 0 || period <= 0) return std::nullopt;
  return quota / period;
}

}  // namespace

std::vector<Path> cpu_cgroups(const Files& files) {
  std::vector<Path> folders;
  const std::optional<std::string> text = read_trimmed(files, "/proc/self/cgroup");
  if (!text) return folders;
  const std::vector<Mount> mounts = cgroup_mounts(files);
  for (const std::string& line : split(*text, '\n')) {
    // "4:cpu,cpuacct:/a/b", and "0::/a/b" for version 2. A group's name may hold a colon.
    const auto first = line.find(':');
    const auto second = line.find(':', first == std::string::npos ? first : first + 1);
    if (second == std::string::npos) continue;
    const std::vector<std::string> controllers =
        split(line.substr(first + 1, second - first - 1), ',');
    const std::string group = line.substr(second + 1);
    const bool version_2 = line.rfind("0::", 0) == 0;
    const auto holds_cpu = [](const std::vector<std::string>& words) {
      return std::find(words.begin(), words.end(), "cpu") != words.end();
    };
    if (!version_2 && !holds_cpu(controllers)) continue;
    const auto mount = std::find_if(mounts.begin(), mounts.end(), [&](const Mount& each) {
      return version_2 ? each.type == "cgroup2" : each.type == "cgroup" && holds_cpu(each.options);
    });
    if (mount != mounts.end()) add_with_ancestors(*mount, group, &folders);
  }
  return folders;
}

std::optional<CpuQuota> cpu_quota(const Files& files) {
  std::optional<CpuQuota> tightest;
  for (const Path& folder : cpu_cgroups(files)) {
    const std::optional<double> cpus = quota_of(files, folder);
    if (cpus && (!tightest || *cpus < tightest->cpus)) tightest = CpuQuota{folder, *cpus};
  }
  return tightest;
}

double throttled_s(const Files& files) {
  double sum = 0;
  for (const Path& folder : cpu_cgroups(files)) {
    const std::optional<std::string> text = read_trimmed(files, folder / "cpu.stat");
    if (!text) continue;
    for (const std::string& line : split(*text, '\n')) {
      const std::vector<std::string> words = split_words(line);
      if (words.size() != 2) continue;
      if (words[0] == "throttled_usec") sum += parse_double(words[1]).value_or(0) * 1e-6;  // v2
      if (words[0] == "throttled_time") sum += parse_double(words[1]).value_or(0) * 1e-9;  // v1, ns
    }
  }
  return sum;
}

}  // namespace hone::measure
