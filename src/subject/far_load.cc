#include "subject/far_load.h"

#include <atomic>

#include "subject/far_program.h"
#include "traffic/load/remote_session.h"

namespace hone::subject {
namespace {

using traffic::load::LoadSession;
using traffic::load::PoolId;
using traffic::load::PoolSpec;
using traffic::load::PoolState;
using traffic::load::SliceResult;
using traffic::load::SliceSpec;

// An ssh to a host that does not answer gives up by itself, in its own time; this is for one that
// never gets anywhere. A slow link or a sleeping machine takes some seconds.
constexpr double kStartLimitS = 30;
// Of an answer beyond the time that its work takes: well above a retransmission or two (RFC 6298).
constexpr double kPatienceS = 15;

class FarLoad final : public LoadSession {
 public:
  FarLoad(FarProgram program, std::unique_ptr<LoadSession> session)
      : program_(std::move(program)), session_(std::move(session)) {}

  Result<PoolId> connect(const PoolSpec& spec) override {
    return explained(session_->connect(spec));
  }
  Result<SliceResult> slice(PoolId pool, const SliceSpec& spec) override {
    return explained(session_->slice(pool, spec));
  }
  Result<PoolState> spread(PoolId pool, const std::vector<int>& redial) override {
    return explained(session_->spread(pool, redial));
  }
  void close(PoolId pool) override {
    if (!lost_) session_->close(pool);  // each would wait its full time
  }
  void cut() override { session_->cut(); }

 private:
  template <typename T>
  Result<T> explained(Result<T> result) {
    if (result) return result;
    lost_ = lost_ || result.error().kind == ErrorKind::kFarHost;
    return tl::make_unexpected(program_.explain(std::move(result).error()));
  }

  FarProgram program_;
  std::unique_ptr<LoadSession> session_;  // over the program's pipes
  std::atomic<bool> lost_{false};
};

}  // namespace

Result<std::unique_ptr<LoadSession>> start_far_load(const Hosts& hosts,
                                                    const std::vector<int>& cpus,
                                                    const system::Path& log,
                                                    system::System& system) {
  const std::string doing = "starting the load on another host";
  const std::vector<std::string> arguments = {"load", "--control", "--threads",
                                              std::to_string(hosts.load_threads)};
  auto program = FarProgram::start(hosts.load, arguments, cpus, log, system);
  if (!program) return tl::make_unexpected(while_doing(std::move(program).error(), doing));
  auto session =
      traffic::load::make_remote(program->from(), program->to(), kStartLimitS, kPatienceS);
  if (!session) {
    return tl::make_unexpected(while_doing(program->explain(std::move(session).error()), doing));
  }
  return std::make_unique<FarLoad>(*std::move(program), *std::move(session));
}

}  // namespace hone::subject
