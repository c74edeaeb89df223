#include "measure/machine/state.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/text.h"
#include "base/units.h"
#include "measure/machine/cgroups.h"
#include "measure/machine/kernel_files.h"
#include "system/cpus.h"

namespace hone::measure {
namespace {

using system::Files;

// "performance", or "performance, powersave" where the CPUs differ.
std::string governors(const Files& files, const CpuRoles& roles) {
  std::set<std::string> found;
  for (const int cpu : roles.all()) {
    if (auto governor = read_trimmed(files, cpu_folder(cpu) / "cpufreq/scaling_governor"))
      found.insert(*std::move(governor));
  }
  return join({found.begin(), found.end()}, ", ");
}

std::string turbo(const Files& files) {
  if (const auto off = read_trimmed(files, "/sys/devices/system/cpu/intel_pstate/no_turbo"))
    return *off == "1" ? "off" : "on";
  if (const auto on = read_trimmed(files, "/sys/devices/system/cpu/cpufreq/boost"))
    return *on == "1" ? "on" : "off";
  return "";
}

std::optional<double> hottest(const Files& files) {
  std::optional<double> most;
  const auto zones = files.list("/sys/class/thermal");
  if (!zones) return most;
  for (const system::Path& zone : *zones) {
    if (zone.filename().string().rfind("thermal_zone", 0) != 0) continue;
    const auto milli = read_number(files, zone / "temp");
    if (milli && (!most || *milli / 1000 > *most)) most = *milli / 1000;
  }
  return most;
}

// "pswpin 12" and "pswpout 34" of /proc/vmstat, in pages.
double swapped_pages(const Files& files) {
  double pages = 0;
  for (const std::string& line : split(read_trimmed(files, "/proc/vmstat").value_or(""), '\n')) {
    const std::vector<std::string> words = split_words(line);
    if (words.size() == 2 && (words[0] == "pswpin" || words[0] == "pswpout"))
      pages += parse_double(words[1]).value_or(0);
  }
  return pages;
}

std::uint64_t rise(double before, double after) {
  return after > before ? static_cast<std::uint64_t>(after - before) : 0;
}

std::optional<Finding> changed_settings(const std::vector<MachineState>& states) {
  std::map<std::string, std::vector<std::string>> values;
  for (const MachineState& state : states) {
    for (const auto& [key, value] : state.settings) {
      auto& seen = values[key];
      if (std::find(seen.begin(), seen.end(), value) == seen.end()) seen.push_back(value);
    }
  }
  std::vector<std::string> changed;
  for (const auto& [key, seen] : values) {
    const bool within = seen.front().find(", then ") != std::string::npos;
    if (seen.size() > 1 || within) changed.push_back(key + ": " + join(seen, "; "));
  }
  if (changed.empty()) return std::nullopt;
  return Finding{
      "machine.changed", "warning",
      "the machine was set otherwise in some rounds than in others (" + join(changed, " | ") + ")",
      "leave the machine's settings alone during a proof, and prove again"};
}

std::optional<Finding> worst_interrupts(const std::vector<MachineState>& states,
                                        const CpuRoles& roles) {
  std::optional<Finding> worst;
  double most = 0;
  std::size_t rounds = 0;
  for (const MachineState& state : states) {
    auto finding = check_interrupts(state.devices, state.wall_s, roles);
    if (!finding) continue;
    ++rounds;
    double sum = 0;
    for (const auto& [device, count] : state.devices) sum += static_cast<double>(count);
    if (sum / state.wall_s <= most) continue;
    most = sum / state.wall_s;
    worst = std::move(finding);
  }
  if (worst) worst->text = fmt::format("in {} of {} rounds, ", rounds, states.size()) + worst->text;
  return worst;
}

template <typename Value>
std::uint64_t sum_of(const std::vector<MachineState>& states, Value MachineState::* member) {
  std::uint64_t sum = 0;
  for (const MachineState& state : states) sum += state.*member;
  return sum;
}

}  // namespace

Settings read_settings(const Files& files, const CpuRoles& roles) {
  Settings settings;
  const auto put = [&settings](const char* key, const std::optional<std::string>& value) {
    if (value && !value->empty()) settings[key] = *value;
  };
  put("governor", governors(files, roles));
  put("turbo", turbo(files));
  put("smt", read_trimmed(files, "/sys/devices/system/cpu/smt/control"));
  put("cpus_online", read_trimmed(files, "/sys/devices/system/cpu/online"));
  if (const auto text = read_trimmed(files, "/sys/kernel/mm/transparent_hugepage/enabled"))
    put("huge_pages", chosen(*text));
  put("clocksource",
      read_trimmed(files, "/sys/devices/system/clocksource/clocksource0/current_clocksource"));
  put("aslr", read_trimmed(files, "/proc/sys/kernel/randomize_va_space"));
  put("autogroup", read_trimmed(files, "/proc/sys/kernel/sched_autogroup_enabled"));
  put("numa_balancing", read_trimmed(files, "/proc/sys/kernel/numa_balancing"));
  if (const auto quota = cpu_quota(files))
    put("cpu_quota", fmt::format("{:.2f} CPUs ({})", quota->cpus, quota->cgroup.string()));
  return settings;
}

MachineMoment read_moment(const Files& files, const system::Clock& clock, const CpuRoles& roles) {
  MachineMoment moment;
  moment.at_s = system::to_seconds(clock.now().time_since_epoch());
  moment.interrupts = read_interrupts(files, roles.server);
  moment.thermal_throttles = thermal_throttles(files, roles);
  moment.swapped_pages = swapped_pages(files);
  moment.hottest_c = hottest(files);
  moment.settings = read_settings(files, roles);
  return moment;
}

MachineState state_over(const std::vector<MachineMoment>& moments) {
  MachineState state;
  if (moments.empty()) return state;
  const MachineMoment& first = moments.front();
  const MachineMoment& last = moments.back();
  state.wall_s = last.at_s - first.at_s;
  state.devices = grown(first.interrupts.devices, last.interrupts.devices);
  state.kernel = grown(first.interrupts.kernel, last.interrupts.kernel);
  state.softirqs = grown(first.interrupts.softirqs, last.interrupts.softirqs);
  state.thermal_throttles = rise(first.thermal_throttles, last.thermal_throttles);
  state.swapped_pages = rise(first.swapped_pages, last.swapped_pages);
  Settings current;
  for (const MachineMoment& moment : moments) {
    state.hottest_c = std::max(state.hottest_c, moment.hottest_c);  // nothing is the least
    for (const auto& [key, value] : moment.settings) {
      std::string& text = state.settings[key];
      if (current[key] != value) text += text.empty() ? value : ", then " + value;
      current[key] = value;
    }
  }
  return state;
}

Findings state_findings(const std::vector<MachineState>& states, const CpuRoles& roles) {
  Findings findings;
  const auto add = [&findings](std::optional<Finding> finding) {
    if (finding) findings.push_back(*std::move(finding));
  };
  add(changed_settings(states));
  add(worst_interrupts(states, roles));
  if (const auto count = sum_of(states, &MachineState::thermal_throttles); count > 0) {
    add(Finding{"machine.thermal-in-rounds", "warning",
                fmt::format("a CPU was slowed down for its temperature {} times during rounds",
                            format_count(count)),
                "better cooling, a lower fixed clock, or turbo off"});
  }
  if (const auto pages = sum_of(states, &MachineState::swapped_pages); pages > 0) {
    add(Finding{
        "machine.swap-in-rounds", "warning",
        fmt::format("{} pages went to or came from swap during rounds", format_count(pages)),
        "free some memory, then swapoff -a"});
  }
  return findings;
}

}  // namespace hone::measure
