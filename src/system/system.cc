#include "system/system.h"

#include "system/core_probe.h"
#include "system/real.h"

namespace hone::system {

System real_system() {
  return System{real_files(),       real_processes(), real_process_table(), real_clock(),
                real_perf_events(), speed_beside,     speeds_alone};
}

}  // namespace hone::system
