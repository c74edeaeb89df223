#include "measure/machine/kernel_files.h"

#include "base/text.h"

namespace hone::measure {

std::optional<std::string> read_trimmed(const system::Files& files, const system::Path& path) {
  const Result<std::string> text = files.read(path);
  if (!text) return std::nullopt;
  return trim(*text);
}

std::optional<double> read_number(const system::Files& files, const system::Path& path) {
  const std::optional<std::string> text = read_trimmed(files, path);
  if (!text) return std::nullopt;
  const Result<double> number = parse_double(*text);
  if (!number) return std::nullopt;
  return *number;
}

system::Path cpu_folder(int cpu) { return "/sys/devices/system/cpu/cpu" + std::to_string(cpu); }

std::string chosen(const std::string& text) {
  const auto open = text.find('[');
  const auto close = text.find(']', open == std::string::npos ? 0 : open);
  if (open == std::string::npos || close == std::string::npos) return text;
  return text.substr(open + 1, close - open - 1);
}

std::map<int, CpuTicks> ticks_by_cpu(const system::Files& files) {
  std::map<int, CpuTicks> result;
  const Result<std::string> text = files.read("/proc/stat");
  if (!text) return result;
  for (const std::string& line : split(*text, '\n')) {
    const std::vector<std::string> words = split_words(line);
    // "cpu0 user nice system idle iowait irq softirq steal guest guest_nice" (proc(5)); guest time
    // is inside user already. The line "cpu" is the sum.
    if (words.size() < 9 || words[0].rfind("cpu", 0) != 0) continue;
    const Result<long long> cpu = parse_integer(words[0].substr(3));
    if (!cpu) continue;
    double values[8] = {};
    for (int i = 0; i < 8; ++i) values[i] = parse_double(words[i + 1]).value_or(0);
    CpuTicks& ticks = result[static_cast<int>(*cpu)];
    ticks.busy = values[0] + values[1] + values[2] + values[5] + values[6];
    ticks.idle = values[3] + values[4];
    ticks.steal = values[7];
  }
  return result;
}

}  // namespace hone::measure
