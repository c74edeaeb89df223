// A control group for one process tree: it counts the CPU of all that ever ran in it, of those too
// that lived and died unseen.
//
// Only where it schedules nobody. In a group of the cpu controller an arm would be another
// scheduling group than the idle spinner, which would then take half of its CPU.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "base/error.h"
#include "system/cgroups.h"

namespace hone::system {

// Where leaves are made: below the group that this process is in.
struct CountingGroup {
  int version = 2;
  Path folder;
};
// Version 2 where its cpu controller is off below that group, else version 1's cpuacct where it is
// mounted apart from cpu. kNotFound or kPermission, "not used: ..." for a reader.
Result<CountingGroup> counting_group(const std::vector<CgroupHierarchy>&);
Result<CountingGroup> own_counting_group();  // of this process

class LeafCgroup {
 public:
  // Of the tree whose supervisor is `supervisor`; the group itself may not be there.
  LeafCgroup(const CountingGroup&, pid_t supervisor);

  const Path& folder() const { return folder_; }
  // CPU of all members so far, ended ones included; as late as a process's own clock. Nothing where
  // the group is not there.
  std::optional<std::int64_t> cpu_ns() const;

  // The supervisor makes it, and takes away those that killed supervisors have left beside it.
  bool make() const;
  // The process about to become the command enters; where it may not, the group is taken away.
  void enter() const;
  void kill() const;  // all members; version 2 alone can
  // Once no member is left; tries for a second, since the last one may be on its way out.
  void remove() const;

 private:
  int version_;
  Path folder_;
};

}  // namespace hone::system
