// Reading what the kernel tells in /proc and /sys, for the checks beside this file.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "system/files.h"

namespace hone::measure {

// The file without surrounding white space; nothing when it cannot be read. Most of these files are
// absent on some machine, and then there is nothing to warn of.
std::optional<std::string> read_trimmed(const system::Files&, const system::Path&);
std::optional<double> read_number(const system::Files&, const system::Path&);

system::Path cpu_folder(int cpu);  // /sys/devices/system/cpu/cpuN

// "[always] madvise never" -> "always"; a text without brackets as it is.
std::string chosen(const std::string& text);

// /proc/stat since boot, in ticks: only shares are taken of them.
struct CpuTicks {
  double busy = 0, idle = 0, steal = 0;
  double total() const { return busy + idle + steal; }
};
std::map<int, CpuTicks> ticks_by_cpu(const system::Files&);  // empty when /proc/stat is not there

}  // namespace hone::measure
