#include "cli/commands/load_workers.h"

namespace hone::cli {

Result<std::optional<subject::WorkerSpread>> spread_over_workers(
    const LoadArguments& arguments, const traffic::load::PoolSpec& pool_spec,
    traffic::load::PoolId pool, traffic::load::LoadSession* session, system::System& system) {
  if (arguments.server_pid == 0) return std::nullopt;
  subject::WorkerSpreader spreader(
      session, arguments.server_workers,
      [&] {
        return system::connection_holders(arguments.server_pid, pool_spec.target.address.port);
      },
      system.clock.get());
  HONE_TRY(subject::WorkerSpread spread, spreader.even_out(pool));
  if (is_even(spread)) return spread;
  if (!spread.known()) {
    return fail(ErrorKind::kNetwork,
                "it cannot be told which worker holds which connection: " + spread.unknown,
                "check --server-pid and --server-workers, or leave them out");
  }
  return fail(ErrorKind::kNetwork,
              "the connections sit " + to_string(spread) +
                  " on the server's workers, however often they were dialled",
              "let the server deal them out evenly (SO_REUSEPORT), or use more of them");
}

}  // namespace hone::cli
