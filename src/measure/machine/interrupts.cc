// Without CONFIG_IRQ_TIME_ACCOUNTING the time of an interrupt is charged to whoever it hits: no
// other account of a round shows it, because it looks like the server's own work. So the interrupts
// themselves are counted.
#include "measure/machine/interrupts.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "measure/machine/checks.h"
#include "measure/machine/kernel_files.h"
#include "system/cpus.h"

namespace hone::measure {
namespace {

// An interrupt with the softirq behind it takes 2 to 10 us; at 10 us these are a tenth of the
// smallest effect that matters.
constexpr double kDeviceInterruptsPerS = 100;

// Columns are CPUs that are online, by name: with CPU 1 offline the second one is CPU2.
std::vector<int> columns(const std::string& heading) {
  std::vector<int> cpus;
  for (const std::string& word : split_words(heading)) {
    const Result<long long> cpu =
        word.rfind("CPU", 0) == 0 ? parse_integer(word.substr(3)) : Result<long long>(-1);
    cpus.push_back(cpu ? static_cast<int>(*cpu) : -1);
  }
  return cpus;
}

struct Line {
  std::string label;  // "36", "LOC", "NET_RX"
  std::uint64_t count = 0;
  std::vector<std::string> rest;  // what follows the counts
};

// Calls `each` for every line "LABEL: COUNT COUNT... REST" with the counts of `cpus` added up.
template <typename Each>
void for_each_source(const system::Files& files, const char* path, const std::vector<int>& cpus,
                     Each each) {
  const Result<std::string> text = files.read(path);
  if (!text) return;
  const std::vector<std::string> lines = split(*text, '\n');
  const std::vector<int> column = columns(lines.front());
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const std::vector<std::string> words = split_words(lines[i]);
    // "ERR: 0" counts for the whole machine.
    if (words.size() < column.size() + 1 || !words[0].ends_with(':')) continue;
    Line line{words[0].substr(0, words[0].size() - 1), 0, {}};
    for (std::size_t c = 0; c < column.size(); ++c) {
      if (std::find(cpus.begin(), cpus.end(), column[c]) == cpus.end()) continue;
      line.count += static_cast<std::uint64_t>(parse_double(words[c + 1]).value_or(0));
    }
    line.rest.assign(words.begin() + static_cast<std::ptrdiff_t>(column.size()) + 1, words.end());
    each(line);
  }
}

bool numbered(const std::string& label) {
  return !label.empty() &&
         std::all_of(label.begin(), label.end(), [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

InterruptCounts read_interrupts(const system::Files& files, const std::vector<int>& cpus) {
  InterruptCounts counts;
  for_each_source(files, "/proc/interrupts", cpus, [&](const Line& line) {
    if (!numbered(line.label)) {
      counts.kernel[line.label] += line.count;
    } else {
      // "IO-APIC 4-edge ttyS0": the last word is the device, or one of several that share it.
      counts.devices[line.rest.empty() ? line.label : line.rest.back()] += line.count;
    }
  });
  for_each_source(files, "/proc/softirqs", cpus,
                  [&](const Line& line) { counts.softirqs[line.label] += line.count; });
  return counts;
}

EventCounts grown(const EventCounts& before, const EventCounts& after) {
  EventCounts result;
  for (const auto& [name, count] : after) {
    const auto found = before.find(name);
    const std::uint64_t from = found == before.end() ? 0 : found->second;
    if (count > from) result[name] = count - from;
  }
  return result;
}

std::optional<Finding> check_interrupts(const EventCounts& devices, double seconds,
                                        const CpuRoles& roles) {
  double sum = 0;
  std::pair<std::string, std::uint64_t> busiest;
  for (const auto& [device, count] : devices) {
    sum += static_cast<double>(count);
    if (count > busiest.second) busiest = {device, count};
  }
  if (seconds <= 0 || sum / seconds <= kDeviceInterruptsPerS) return std::nullopt;
  return Finding{
      "machine.interrupts", "warning",
      fmt::format("the server's CPUs ({}) serve {:.0f} interrupts of devices a second, most of "
                  "them {}'s: their cost is charged to the server",
                  system::format_cpu_list(roles.server), sum / seconds, busiest.first),
      "stop irqbalance and send them elsewhere: echo CPUS > /proc/irq/N/smp_affinity_list "
      "(N stands before the device in /proc/interrupts), or choose other CPUs with [prove] cpus"};
}

}  // namespace hone::measure
