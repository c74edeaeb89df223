// Packages alone: their zones hold cores and graphics already, and "psys" holds the packages. DRAM
// is left out, because not every machine has its zone and figures of two machines would not
// compare.
#include "measure/counters/energy.h"

#include <algorithm>

#include "base/text.h"

namespace hone::measure {
namespace {

constexpr const char* kPowercap = "/sys/class/powercap";

tl::unexpected<Error> no_energy(ErrorKind kind, const std::string& why,
                                const std::string& next = {}) {
  return fail(kind, "not available here: " + why, next);
}

Result<std::uint64_t> read_microjoules(const system::Files& files, const system::Path& path) {
  const Result<std::string> text = files.read(path);
  if (!text && text.error().kind == ErrorKind::kPermission) {
    // Root's alone since Linux 5.10 (CVE-2020-8694: power tells secrets).
    return no_energy(ErrorKind::kPermission, "energy may be read by root only",
                     "run as root, or chmod o+r " + path.string());
  }
  const Result<long long> value =
      text ? parse_integer(trim(*text)) : tl::make_unexpected(text.error());
  if (!value || *value < 0)
    return no_energy(ErrorKind::kNotFound, path.string() + " does not hold a number");
  return static_cast<std::uint64_t>(*value);
}

}  // namespace

Result<std::vector<PackageEnergy>> read_energy(const system::Files& files) {
  std::vector<PackageEnergy> packages;
  const auto zones = files.list(kPowercap);
  for (const system::Path& zone : zones.value_or(std::vector<system::Path>{})) {
    const std::string id = zone.filename();
    const Result<std::string> name = files.read(zone / "name");
    if (!name || trim(*name).rfind("package", 0) != 0) continue;
    // The same packages once more, through memory instead of registers.
    if (id.rfind("intel-rapl-mmio", 0) == 0) continue;
    HONE_TRY(const std::uint64_t used, read_microjoules(files, zone / "energy_uj"));
    HONE_TRY(const std::uint64_t range, read_microjoules(files, zone / "max_energy_range_uj"));
    packages.push_back({id, used, range});
  }
  if (packages.empty())
    return no_energy(ErrorKind::kNotFound, "the kernel shows no energy counter (RAPL)");
  return packages;
}

double microjoules_between(const std::vector<PackageEnergy>& before,
                           const std::vector<PackageEnergy>& after) {
  double sum = 0;
  for (const PackageEnergy& now : after) {
    const auto then = std::find_if(before.begin(), before.end(), [&](const PackageEnergy& each) {
      return each.zone == now.zone;
    });
    if (then == before.end()) continue;
    const auto used = static_cast<double>(now.used_uj) - static_cast<double>(then->used_uj);
    sum += used >= 0 ? used : used + static_cast<double>(now.range_uj);
  }
  return sum;
}

double microjoules_above_idle(const EnergyWindow& loaded, const EnergyWindow& idle) {
  if (idle.wall_s <= 0) return 0;
  return std::max(0.0, loaded.used_uj - idle.used_uj / idle.wall_s * loaded.wall_s);
}

}  // namespace hone::measure
