// From a proof, or what speaks against one, to the process's exit status.
#pragma once

#include <string>

#include "base/error.h"
#include "base/finding.h"
#include "pipeline/prove/proof.h"
#include "pipeline/sweep/results.h"

namespace hone::cli {

// Trained shapes of all candidates decide, the worst of them first: 7 failed, 8 withheld, 4 worse,
// 3 unresolved, 6 same, 0 saved. A proof without trained shapes is decided by all of its shapes.
// `fail_on`: "" as above; "worse": 0 unless failed, withheld or worse; "unresolved": also then.
int verdict_code(const pipeline::Proof& proof, const std::string& fail_on);

// `hone sweep`, which has no verdict: 7 where an arm failed or held none of the rates, else 0.
int sweep_code(const pipeline::Sweep& sweep);

// `hone doctor`: 5 where one finding says that a proof cannot be trusted at all.
int machine_code(const Findings& findings);

}  // namespace hone::cli
