// The parts of the real operating system; real_system() puts them together.
#pragma once

#include <memory>

#include "system/clock.h"
#include "system/files.h"
#include "system/perf_events.h"
#include "system/process_tree.h"
#include "system/processes.h"

namespace hone::system {

std::unique_ptr<Clock> real_clock();
std::unique_ptr<Files> real_files();
std::unique_ptr<PerfEvents> real_perf_events();
// Children may use the CPUs that the caller may use now, whatever its threads are pinned to later.
std::unique_ptr<Processes> real_processes();
std::unique_ptr<ProcessTable> real_process_table();

}  // namespace hone::system
