// One maker per kind of build; make_driver() chooses by name.
#pragma once

#include <memory>

#include "build_systems/driver.h"

namespace hone::build_systems {

std::unique_ptr<Driver> make_cmake();
std::unique_ptr<Driver> make_autotools();
std::unique_ptr<Driver> make_custom();
std::unique_ptr<Driver> make_prebuilt();

}  // namespace hone::build_systems
