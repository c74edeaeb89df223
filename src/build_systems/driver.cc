#include "build_systems/driver.h"

#include "build_systems/drivers.h"

namespace hone::build_systems {

std::unique_ptr<Driver> make_driver(const std::string& system_name) {
  if (system_name == "cmake") return make_cmake();
  if (system_name == "autotools") return make_autotools();
  if (system_name == "custom") return make_custom();
  if (system_name == "prebuilt") return make_prebuilt();
  return nullptr;
}

std::vector<std::string> known_systems() { return {"cmake", "autotools", "custom", "prebuilt"}; }

}  // namespace hone::build_systems
