// A device's events/NAME holds terms ("event=0x00,umask=0x80"), and format/TERM the bits of the
// config that each goes to ("config:0-7,32-35"): sysfs-bus-event_source-devices-events and -format
// in the kernel's Documentation/ABI/testing.
#include "system/sysfs_events.h"

#include <optional>

#include "base/text.h"
#include "system/proc.h"

namespace hone::system {
namespace {

// The second is that of Intel's hybrid CPUs.
constexpr const char* kCpuDevices[] = {"cpu", "cpu_core"};

std::optional<std::uint64_t> parse_term_value(const std::string& text) {
  try {
    std::size_t used = 0;
    const std::uint64_t value = std::stoull(text, &used, 0);
    return used == text.size() ? std::optional(value) : std::nullopt;
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

// Puts the low bits of `value` where a format such as "config:0-7,32-35" says.
bool place(std::uint64_t value, const std::string& format, std::uint64_t* config) {
  static constexpr std::string_view kWord = "config:";
  if (!format.starts_with(kWord)) return false;
  for (const std::string& range : split(format.substr(kWord.size()), ',')) {
    const std::vector<std::string> ends = split(range, '-');
    const auto low = parse_integer(ends.front());
    const auto high = parse_integer(ends.back());
    if (!low || !high || *low < 0 || *high < *low || *high > 63) return false;
    for (long long bit = *low; bit <= *high; ++bit, value >>= 1) *config |= (value & 1) << bit;
  }
  return value == 0;
}

std::optional<std::uint64_t> config_of(const Path& device, const std::string& terms) {
  std::uint64_t config = 0;
  for (const std::string& term : split(terms, ',')) {
    const auto equals = term.find('=');
    const auto value = equals == std::string::npos ? std::optional<std::uint64_t>(1)
                                                   : parse_term_value(term.substr(equals + 1));
    const auto format = read_proc((device / "format" / term.substr(0, equals)).string());
    if (!value || !format || !place(*value, trim(*format), &config)) return std::nullopt;
  }
  return config;
}

}  // namespace

Result<SysfsEvent> cpu_event(const Path& sources, const std::string& name) {
  for (const char* each : kCpuDevices) {
    const Path device = sources / each;
    const auto terms = read_proc((device / "events" / name).string());
    const auto type = read_proc((device / "type").string());
    if (!terms || !type) continue;
    const auto number = parse_integer(trim(*type));
    const auto config = config_of(device, trim(*terms));
    if (number && config) return SysfsEvent{static_cast<std::uint32_t>(*number), *config};
  }
  return fail(ErrorKind::kNotFound,
              "not available here: the kernel names no event " + name + " of this CPU");
}

}  // namespace hone::system
