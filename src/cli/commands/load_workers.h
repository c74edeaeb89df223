// Spreads a pool evenly over the workers of the server under load, where the user names its
// process.
#pragma once

#include <optional>

#include "base/error.h"
#include "cli/commands/load_options.h"
#include "subject/worker_spread.h"
#include "traffic/load/load_session.h"

namespace hone::cli {

class LoadWorkers {
 public:
  // All outlive it. `arguments` name a server.
  LoadWorkers(const LoadArguments& arguments, const traffic::load::PoolSpec& pool,
              traffic::load::LoadSession* session, system::System& system);

  // kUsage where it cannot be told who holds a connection to such a target.
  Status check() const;
  // kNetwork when the connections do not come to sit evenly.
  Status even_out(traffic::load::PoolId);
  // As they sit now, whatever the run has made of it.
  Result<subject::WorkerSpread> read(traffic::load::PoolId);
  const traffic::load::SliceResult& asked() const { return spreader_.asked(); }

 private:
  const traffic::load::Target target_;
  subject::WorkerSpreader spreader_;
  int redialled_ = 0;
};

}  // namespace hone::cli
