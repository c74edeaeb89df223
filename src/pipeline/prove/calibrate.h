// The rate a load comes to for one shape: fixed as the recipe says, or `busy`: found on arm A
// alone, so that no arm under test has a say in it.
#pragma once

#include <functional>

#include "pipeline/prove/proof.h"
#include "pipeline/prove/rig.h"

namespace hone::pipeline {

Result<ResolvedLoad> resolve_load(const Design&, const Load&, const subject::Shape&,
                                  const system::Path& work_folder, Rig&, system::System&);

// The search by itself, over any way to measure a rate: for tests. Busy shares are of the CPUs
// meant for the server and for the client, who is called so in the bound.
struct BusyShares {
  double server = 0, client = 0;
};
Result<ResolvedLoad> search_busy_rate(double wanted_busy,
                                      const std::function<Result<BusyShares>(double rate)>& measure,
                                      const std::string& client = "load and origin");

}  // namespace hone::pipeline
