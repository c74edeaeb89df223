// Spreads a pool evenly over the workers of the server under load, where the user names its
// process.
#pragma once

#include <optional>

#include "base/error.h"
#include "cli/commands/load_options.h"
#include "subject/worker_spread.h"
#include "traffic/load/load_session.h"

namespace hone::cli {

// Nothing where no server was named. kNetwork when the connections do not come to sit evenly, or it
// cannot be told how they sit.
Result<std::optional<subject::WorkerSpread>> spread_over_workers(const LoadArguments&,
                                                                 const traffic::load::PoolSpec&,
                                                                 traffic::load::PoolId,
                                                                 traffic::load::LoadSession*,
                                                                 system::System&);

}  // namespace hone::cli
