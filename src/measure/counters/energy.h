// Energy that the CPU packages use, through the kernel's powercap interface (RAPL).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/error.h"
#include "system/files.h"

namespace hone::measure {

// Microjoules of one package since an arbitrary moment; after `range_uj` the count begins again at
// 0.
struct PackageEnergy {
  std::string zone;  // "intel-rapl:0"
  std::uint64_t used_uj = 0, range_uj = 0;
};
// Every package of the machine. kNotFound or kPermission where they cannot be read, with
// "not available here: ..." as the text.
Result<std::vector<PackageEnergy>> read_energy(const system::Files&);

// Microjoules between two readings of the same zones, no longer apart than it takes one of them to
// wrap around once: 20 minutes at 200 W with the usual range of 262 kJ.
double microjoules_between(const std::vector<PackageEnergy>& before,
                           const std::vector<PackageEnergy>& after);

// What a stretch of `wall_s` used above the power of an idle one; not negative.
struct EnergyWindow {
  double wall_s = 0, used_uj = 0;
};
double microjoules_above_idle(const EnergyWindow& loaded, const EnergyWindow& idle);

// The name of a counter of that.
constexpr const char* kEnergyCounter = "energy above idle, uJ";

}  // namespace hone::measure
