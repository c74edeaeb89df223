#include "system/leaf_cgroup.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <string>
#include <thread>

#include "base/text.h"
#include "system/descriptor.h"
#include "system/os_error.h"
#include "system/proc.h"

namespace hone::system {
namespace {

constexpr const char* kLeafStem = "hone-";
constexpr std::chrono::milliseconds kRemovePause{5};
constexpr int kRemoveTries = 200;

tl::unexpected<Error> not_used(const std::string& why, ErrorKind kind = ErrorKind::kNotFound) {
  return fail(kind, "not used: " + why);
}

bool write_text(const Path& path, const char* text) {
  const Descriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  const auto size = static_cast<ssize_t>(std::char_traits<char>::length(text));
  return file.open() && ::write(file.fd(), text, static_cast<std::size_t>(size)) == size;
}

Result<CountingGroup> writable(int version, const Path& folder) {
  if (::access(folder.c_str(), W_OK) == 0) return CountingGroup{version, folder};
  return not_used(user_name() + " may not make a control group in " + folder.string(),
                  ErrorKind::kPermission);
}

// Whether groups below this one of version 2 are scheduled apart.
bool schedules_below(const Path& folder) {
  const auto enabled = read_proc((folder / "cgroup.subtree_control").string());
  for (const std::string& controller : split_words(enabled.value_or(""))) {
    if (controller == "cpu") return true;
  }
  return false;
}

void remove_left_behind(const Path& parent) {
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(parent, error)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(kLeafStem)) continue;
    const std::string pid = name.substr(std::char_traits<char>::length(kLeafStem));
    if (parse_integer(pid) && !std::filesystem::exists("/proc/" + pid, error))
      ::rmdir(entry.path().c_str());
  }
}

}  // namespace

Result<CountingGroup> counting_group(const std::vector<CgroupHierarchy>& hierarchies) {
  std::string why = "no hierarchy of control groups counts CPU here";
  const CgroupHierarchy* accounting = nullptr;
  for (const CgroupHierarchy& each : hierarchies) {
    if (each.version == 1 && each.has("cpuacct")) accounting = &each;
    if (each.version == 1) continue;
    const Path& own = each.folders.front();
    if (!schedules_below(own)) return writable(2, own);
    why = "below " + own.string() +
          " every group is scheduled apart (its cpu controller is on), and the idle spinner would "
          "take half of the CPU";
  }
  if (accounting == nullptr) return not_used(why);
  if (!accounting->has("cpu")) return writable(1, accounting->folders.front());
  return not_used(
      "cpuacct is mounted together with cpu, so a group would be scheduled apart, and "
      "the idle spinner would take half of the CPU");
}

Result<CountingGroup> own_counting_group() {
  return counting_group(parse_cgroups(read_proc("/proc/self/cgroup").value_or(""),
                                      read_proc("/proc/self/mountinfo").value_or("")));
}

LeafCgroup::LeafCgroup(const CountingGroup& group, pid_t supervisor)
    : version_(group.version), folder_(group.folder / (kLeafStem + std::to_string(supervisor))) {}

std::optional<std::int64_t> LeafCgroup::cpu_ns() const {
  const auto text = read_proc((folder_ / (version_ == 2 ? "cpu.stat" : "cpuacct.usage")).string());
  if (!text) return std::nullopt;
  if (version_ == 1) {
    const auto ns = parse_integer(trim(*text));
    return ns ? std::optional<std::int64_t>(*ns) : std::nullopt;
  }
  for (const std::string& line : split(*text, '\n')) {
    const std::vector<std::string> words = split_words(line);
    if (words.size() != 2 || words[0] != "usage_usec") continue;
    const auto us = parse_integer(words[1]);
    return us ? std::optional<std::int64_t>(*us * 1000) : std::nullopt;
  }
  return std::nullopt;
}

bool LeafCgroup::make() const {
  remove_left_behind(folder_.parent_path());
  if (::mkdir(folder_.c_str(), 0755) != 0) return false;
  // Pressure of every group is kept at every switch between threads; nobody reads this one's.
  static_cast<void>(write_text(folder_ / "cgroup.pressure", "0"));
  return true;
}

void LeafCgroup::enter() const {
  if (!write_text(folder_ / "cgroup.procs", "0")) ::rmdir(folder_.c_str());
}

void LeafCgroup::kill() const { static_cast<void>(write_text(folder_ / "cgroup.kill", "1")); }

void LeafCgroup::remove() const {
  for (int i = 0; i < kRemoveTries && ::rmdir(folder_.c_str()) != 0 && errno == EBUSY; ++i)
    std::this_thread::sleep_for(kRemovePause);
}

}  // namespace hone::system
