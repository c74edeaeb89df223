// A warning as data: collected by every stage, shown in every report, never printed on the way.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"

namespace hone {

struct Finding {
  std::string id;        // "machine.steal", "profile.empty-process": stable
  std::string severity;  // "info", "warning" or "serious"
  std::string text;      // what was seen, with its figures
  std::string advice;    // how to mend it; may be empty
};
HONE_JSON(Finding)

using Findings = std::vector<Finding>;

}  // namespace hone
