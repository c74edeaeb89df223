#include "measure/machine/cgroups.h"

#include <string>

#include "base/text.h"
#include "measure/machine/kernel_files.h"
#include "system/cgroups.h"

namespace hone::measure {
namespace {

using system::Files;
using system::Path;

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
  const std::string groups = read_trimmed(files, "/proc/self/cgroup").value_or("");
  const std::string mounts = read_trimmed(files, "/proc/self/mountinfo").value_or("");
  for (const system::CgroupHierarchy& each : system::parse_cgroups(groups, mounts)) {
    if (each.version == 1 && !each.has("cpu")) continue;
    folders.insert(folders.end(), each.folders.begin(), each.folders.end());
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
