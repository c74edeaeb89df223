// The operating system as hone sees it. main builds one and hands it in; tests build one of fakes.
#pragma once

#include <memory>

#include "system/clock.h"
#include "system/files.h"
#include "system/process_tree.h"
#include "system/processes.h"

namespace hone::system {

struct System {
  std::unique_ptr<Files> files;
  std::unique_ptr<Processes> processes;
  std::unique_ptr<ProcessTable> process_table;
  std::unique_ptr<Clock> clock;
};

System real_system();

}  // namespace hone::system
