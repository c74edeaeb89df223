// Who pays for interrupts? Without CONFIG_IRQ_TIME_ACCOUNTING the time spent in interrupts and
// softirqs is charged to whichever thread they hit. On a busy server that is mostly its own network
// traffic, so the figure is closer to what the server causes, and less of it can be saved by a
// rebuild. The kernel does not tell at run time; its configuration does, where the distribution
// ships it.
#include <fmt/format.h>

#include "base/text.h"
#include "measure/machine/checks.h"
#include "measure/machine/kernel_files.h"

namespace hone::measure {

std::optional<Finding> check_time_accounting(const system::Files& files) {
  const auto release = read_trimmed(files, "/proc/sys/kernel/osrelease");
  const auto config = release ? read_trimmed(files, "/boot/config-" + *release) : std::nullopt;
  if (!config) return std::nullopt;
  for (const std::string& line : split(*config, '\n')) {
    if (trim(line) != "CONFIG_IRQ_TIME_ACCOUNTING=y") continue;
    return Finding{
        "machine.time-accounting", "info",
        "this kernel accounts interrupt time apart (CONFIG_IRQ_TIME_ACCOUNTING): CPU per "
        "request leaves out network work done in softirqs",
        "compare absolute figures only with machines that do the same; ratios between arms "
        "look larger than where that work is included"};
  }
  return std::nullopt;
}

}  // namespace hone::measure
