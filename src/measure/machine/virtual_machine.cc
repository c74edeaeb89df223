// In a virtual machine a wake-up of an idle CPU leaves the guest, and costs several times what it
// costs on bare metal. That part of CPU per request is no work a rebuild can save, so the same
// saving is a smaller share here.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "measure/machine/checks.h"
#include "measure/machine/kernel_files.h"

namespace hone::measure {

std::optional<std::string> hypervisor(const system::Files& files) {
  // Xen and s390 say so themselves; x86 has a CPUID bit that Linux shows as a flag; arm64 guests of
  // KVM and Xen get a node in the device tree.
  const auto type = read_trimmed(files, "/sys/hypervisor/type");
  const auto info = read_trimmed(files, "/proc/cpuinfo");
  bool flag = files.exists("/proc/device-tree/hypervisor");
  if (info) {
    for (const std::string& line : split(*info, '\n')) {
      if (line.rfind("flags", 0) != 0) continue;
      const std::vector<std::string> words = split_words(line);
      flag = flag || std::find(words.begin(), words.end(), "hypervisor") != words.end();
      break;  // the same for every CPU
    }
  }
  if (!type && !flag) return std::nullopt;
  if (type) return type;
  const auto vendor = read_trimmed(files, "/sys/class/dmi/id/sys_vendor");
  const auto product = read_trimmed(files, "/sys/class/dmi/id/product_name");
  const std::string name = trim(vendor.value_or("") + " " + product.value_or(""));
  return name.empty() ? "unnamed" : name;
}

std::optional<Finding> check_virtual_machine(const system::Files& files) {
  const std::optional<std::string> name = hypervisor(files);
  if (!name) return std::nullopt;
  return Finding{
      "machine.virtual", "info",
      fmt::format("a virtual machine ({} hypervisor): wake-ups cost more CPU than on bare "
                  "metal, so savings look smaller where requests come one by one",
                  *name),
      "read wakes per request beside every figure; repeat on the hardware you deploy on"};
}

}  // namespace hone::measure
