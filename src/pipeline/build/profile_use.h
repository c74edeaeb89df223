// What the compiler said about the profile while it used it, out of a build's log.
#pragma once

#include <string_view>

#include "pipeline/build/build.h"

namespace hone::pipeline {

ProfileUse profile_use_in(std::string_view log);

}  // namespace hone::pipeline
