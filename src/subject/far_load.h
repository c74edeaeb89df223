// A load session on another host: `hone load --control` there, with `hosts.load_threads`.
#pragma once

#include <memory>
#include <vector>

#include "base/error.h"
#include "subject/hosts.h"
#include "system/system.h"
#include "traffic/load/load_session.h"

namespace hone::subject {

// Ready when it returns; `cpus` and `log` as of FarProgram. Where the far side is lost the kind is
// kFarHost, kToolMissing where it has no hone; any other is what the load itself came to.
Result<std::unique_ptr<traffic::load::LoadSession>> start_far_load(const Hosts& hosts,
                                                                   const std::vector<int>& cpus,
                                                                   const system::Path& log,
                                                                   system::System&);

}  // namespace hone::subject
