// Hierarchies of control groups as a process sees them, in versions 1, 2 and both at once.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "system/files.h"

namespace hone::system {

struct CgroupHierarchy {
  int version = 2;
  std::vector<std::string> controllers;  // version 1: those mounted together
  // Of the process's own group and of every ancestor that the mount shows, own group first.
  std::vector<Path> folders;
  bool has(std::string_view controller) const;
};

// From the texts of /proc/self/cgroup and /proc/self/mountinfo, in the first one's order;
// hierarchies that are mounted nowhere are left out.
std::vector<CgroupHierarchy> parse_cgroups(std::string_view groups, std::string_view mountinfo);

}  // namespace hone::system
