// The operating system as hone sees it. main builds one and hands it in; tests build one of fakes.
#pragma once

#include <functional>
#include <memory>

#include "system/clock.h"
#include "system/files.h"
#include "system/perf_events.h"
#include "system/process_tree.h"
#include "system/processes.h"

namespace hone::system {

struct System {
  std::unique_ptr<Files> files;
  std::unique_ptr<Processes> processes;
  std::unique_ptr<ProcessTable> process_table;
  std::unique_ptr<Clock> clock;
  std::unique_ptr<PerfEvents> perf_events;
  // Those of core_probe.h; empty: not to be had.
  std::function<Result<double>(int cpu, int other, Duration limit)> speed_beside;
  std::function<Result<std::vector<double>>(int cpu, Duration window, int windows)> speeds_alone;
};

System real_system();

}  // namespace hone::system
