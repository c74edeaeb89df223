#include <fmt/format.h>

#include "base/text.h"
#include "measure/machine/checks.h"
#include "measure/machine/kernel_files.h"
#include "measure/machine/machine.h"
#include "system/cpus.h"

namespace hone::measure {
namespace {

using system::Files;
using system::Path;

constexpr const char* kEventSources = "/sys/bus/event_source/devices";

Json or_null(const std::optional<std::string>& text) { return text ? Json(*text) : Json(); }

// The value of the first "key : value" line.
std::optional<std::string> field(const std::optional<std::string>& text, const std::string& key) {
  if (!text) return std::nullopt;
  for (const std::string& line : split(*text, '\n')) {
    const auto colon = line.find(':');
    if (colon != std::string::npos && trim(line.substr(0, colon)) == key) {
      return trim(line.substr(colon + 1));
    }
  }
  return std::nullopt;
}

Json cpu_model(const Files& files) {
  const auto info = read_trimmed(files, "/proc/cpuinfo");
  if (const auto model = field(info, "model name")) return *model;
  // arm64 gives numbers only.
  const auto implementer = field(info, "CPU implementer"), part = field(info, "CPU part");
  if (implementer && part) return fmt::format("implementer {}, part {}", *implementer, *part);
  return nullptr;
}

Json memory_bytes(const Files& files) {
  const auto total = field(read_trimmed(files, "/proc/meminfo"), "MemTotal");  // "49367308 kB"
  if (!total) return nullptr;
  const Result<long long> kib = parse_integer(split_words(*total).front());
  return kib ? Json(*kib * 1024) : Json();
}

std::string governor(const Files& files, int cpu) {
  return read_trimmed(files, cpu_folder(cpu) / "cpufreq/scaling_governor")
      .value_or("not available here: the kernel does not control this CPU's clock");
}

// Hybrid x86 has one device per kind of core; arm64 names them after the core.
bool has_hardware_counters(const Files& files) {
  const auto devices = files.list(kEventSources);
  if (!devices) return false;
  for (const Path& device : *devices) {
    const std::string name = device.filename();
    if (matches_glob("cpu,cpu_core,cpu_atom,armv*_pmu*,armv*_cortex*,armv*_neoverse*", name)) {
      return true;
    }
  }
  return false;
}

std::string hardware_counters(const Files& files) {
  if (has_hardware_counters(files)) return "available";
  return hypervisor(files)
             ? "not available here: the hypervisor passes no hardware counters to this machine"
             : "not available here: the kernel offers no CPU device for performance events";
}

std::string perf_events(const Files& files) {
  const auto paranoid = read_number(files, "/proc/sys/kernel/perf_event_paranoid");
  if (!paranoid) return "not available here: the kernel was built without performance events";
  // perf_event_open(2): at 2 and below own processes may be counted in user mode; Debian and Ubuntu
  // know 3 and 4, which forbid all of it without CAP_PERFMON.
  const char* who = *paranoid <= -1  ? "for everybody"
                    : *paranoid <= 1 ? "own processes, kernel included"
                    : *paranoid <= 2 ? "own processes, user mode only; root all"
                                     : "root only";
  return fmt::format("{} (perf_event_paranoid {})", who, *paranoid);
}

std::string energy(const Files& files) {
  if (files.exists(Path(kEventSources) / "power") ||
      files.exists("/sys/class/powercap/intel-rapl:0")) {
    return "available";
  }
  return "not available here: the kernel shows no energy counter (RAPL)";
}

}  // namespace

Json describe_machine(const system::System& system) {
  const Files& files = *system.files;
  const std::vector<int> allowed = system::allowed_cpus();
  const std::optional<std::string> host = hypervisor(files);
  const auto huge_pages = read_trimmed(files, "/sys/kernel/mm/transparent_hugepage/enabled");
  Json machine;
  machine["cpu_model"] = cpu_model(files);
  machine["cpus"] = ticks_by_cpu(files).size();
  machine["cpus_allowed"] = system::format_cpu_list(allowed);
  machine["kernel"] = or_null(read_trimmed(files, "/proc/sys/kernel/osrelease"));
  machine["memory_bytes"] = memory_bytes(files);
  machine["virtual_machine"] = host.has_value();
  machine["hypervisor"] = or_null(host);
  machine["governor"] = governor(files, allowed.empty() ? 0 : allowed.front());
  machine["smt"] = or_null(read_trimmed(files, "/sys/devices/system/cpu/smt/control"));
  machine["clocksource"] = or_null(
      read_trimmed(files, "/sys/devices/system/clocksource/clocksource0/current_clocksource"));
  machine["huge_pages"] = huge_pages ? Json(chosen(*huge_pages)) : Json();
  machine["perf_events"] = perf_events(files);
  machine["hardware_counters"] = hardware_counters(files);
  machine["energy"] = energy(files);
  return machine;
}

}  // namespace hone::measure
