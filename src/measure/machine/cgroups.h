// The CPU control groups hone runs in, in versions 1, 2 and both at once.
#pragma once

#include <optional>
#include <vector>

#include "system/files.h"

namespace hone::measure {

// Folders of hone's own group and of every ancestor that this mount namespace shows, own group
// first; version 1 (controller cpu) and version 2 one after the other where both are mounted.
std::vector<system::Path> cpu_cgroups(const system::Files&);

struct CpuQuota {
  system::Path cgroup;
  double cpus = 0;  // quota / period: 1.5 is one and a half CPUs
};
// The tightest over all those folders; nothing where none has a quota.
std::optional<CpuQuota> cpu_quota(const system::Files&);

// Time that groups were kept from running by their quota so far, summed over all those folders.
double throttled_s(const system::Files&);

}  // namespace hone::measure
