// Which of the Debian packages that a recipe names are not installed.
#pragma once

#include <string>
#include <vector>

#include "system/system.h"

namespace hone::pipeline {

// All of them where dpkg cannot be asked. `scratch`: a file for dpkg's answer.
std::vector<std::string> missing_packages(const std::vector<std::string>& names,
                                          const system::Path& scratch, system::System&);

// The same from dpkg-query's lines "NAME<tab>ii ".
std::vector<std::string> not_installed(const std::vector<std::string>& names,
                                       const std::string& answer);

}  // namespace hone::pipeline
