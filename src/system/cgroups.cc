// /proc/self/cgroup names the group of each hierarchy, /proc/self/mountinfo where the hierarchy is
// mounted and which of its groups the mount shows at its top: in a container that is often the
// container's own group, and what lies above cannot be seen from inside. The usual paths under
// /sys/fs/cgroup are not assumed: hybrid set-ups mount version 2 under "unified".
#include "system/cgroups.h"

#include <algorithm>

#include "base/text.h"

namespace hone::system {
namespace {

struct CgroupMount {
  std::string top;  // the group that the mount point shows
  std::string point;
  std::string type;                  // "cgroup" or "cgroup2"
  std::vector<std::string> options;  // of the hierarchy: version 1's controllers are among them
};

// "31 23 0:28 /top /point rw,relatime shared:5 - type source options" (proc(5)).
std::vector<CgroupMount> cgroup_mounts(const std::string& mountinfo) {
  std::vector<CgroupMount> mounts;
  for (const std::string& line : split(mountinfo, '\n')) {
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

// The process's group as the mount shows it: an empty path for the mount's top.
Path below(const CgroupMount& mount, const std::string& group) {
  if (mount.top == "/") return Path(group).relative_path();
  if (group.rfind(mount.top + "/", 0) == 0) return group.substr(mount.top.size() + 1);
  return {};  // the top itself, or a group outside of what this mount shows
}

std::vector<Path> with_ancestors(const CgroupMount& mount, const std::string& group) {
  Path folder = mount.point;
  std::vector<Path> folders = {folder};
  for (const Path& part : below(mount, group)) {
    if (part.empty() || part == "." || part == "..") continue;
    folders.push_back(folder /= part);
  }
  std::reverse(folders.begin(), folders.end());
  return folders;
}

bool holds(const std::vector<std::string>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

}  // namespace

bool CgroupHierarchy::has(std::string_view controller) const {
  return holds(controllers, controller);
}

std::vector<CgroupHierarchy> parse_cgroups(std::string_view groups, std::string_view mountinfo) {
  std::vector<CgroupHierarchy> hierarchies;
  const std::vector<CgroupMount> mounts = cgroup_mounts(std::string(mountinfo));
  for (const std::string& line : split(std::string(groups), '\n')) {
    // "4:cpu,cpuacct:/a/b", and "0::/a/b" for version 2. A group's name may hold a colon.
    const auto first = line.find(':');
    const auto second = line.find(':', first == std::string::npos ? first : first + 1);
    if (second == std::string::npos) continue;
    CgroupHierarchy one;
    one.version = line.rfind("0::", 0) == 0 ? 2 : 1;
    if (one.version == 1 && second == first + 1) continue;
    if (one.version == 1) one.controllers = split(line.substr(first + 1, second - first - 1), ',');
    const auto mount = std::find_if(mounts.begin(), mounts.end(), [&](const CgroupMount& each) {
      return one.version == 2 ? each.type == "cgroup2"
                              : each.type == "cgroup" && holds(each.options, one.controllers[0]);
    });
    if (mount == mounts.end()) continue;
    one.folders = with_ancestors(*mount, line.substr(second + 1));
    hierarchies.push_back(std::move(one));
  }
  return hierarchies;
}

}  // namespace hone::system
