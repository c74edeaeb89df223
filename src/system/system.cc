#include "system/system.h"

#include "system/real.h"

namespace hone::system {

System real_system() {
  return System{real_files(), real_processes(), real_process_table(), real_clock()};
}

}  // namespace hone::system
