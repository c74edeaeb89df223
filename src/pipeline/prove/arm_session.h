// One arm as a running session.
#pragma once

#include <memory>

#include "pipeline/prove/design.h"
#include "pipeline/prove/rig.h"
#include "subject/session.h"

namespace hone::pipeline {

// Copies the arm's binary to a fresh inode under `folder`, in a path as long as every other arm's
// (page-cache placement and the length of argv both move a server's cost), and starts it.
// `place`: its own among the arms that share `folder`, below 10.
Result<std::unique_ptr<subject::Session>> start_arm(const Design&, const Arm&, std::size_t place,
                                                    const subject::Shape&,
                                                    const system::Path& folder, Rig&,
                                                    system::System&);

}  // namespace hone::pipeline
