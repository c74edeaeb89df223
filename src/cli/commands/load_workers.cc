#include "cli/commands/load_workers.h"

namespace hone::cli {

LoadWorkers::LoadWorkers(const LoadArguments& arguments, const traffic::load::PoolSpec& pool,
                         traffic::load::LoadSession* session, system::System& system)
    : target_(pool.target),
      spreader_(
          session, arguments.server_workers,
          [pid = arguments.server_pid, port = pool.target.address.port] {
            return system::connection_holders(pid, port);
          },
          system.clock.get()) {}

Status LoadWorkers::check() const {
  const std::string why = subject::why_unknowable(target_);
  if (why.empty()) return {};
  return fail(ErrorKind::kUsage, "the connections cannot be spread over workers: " + why,
              "leave out --server-pid and --server-workers");
}

Status LoadWorkers::even_out(traffic::load::PoolId pool) {
  HONE_TRY(const subject::WorkerSpread spread, spreader_.even_out(pool));
  redialled_ = spread.redialled;
  if (is_even(spread)) return {};
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

Result<subject::WorkerSpread> LoadWorkers::read(traffic::load::PoolId pool) {
  HONE_TRY(subject::WorkerSpread spread, spreader_.read(pool));
  spread.redialled = redialled_;
  return spread;
}

}  // namespace hone::cli
