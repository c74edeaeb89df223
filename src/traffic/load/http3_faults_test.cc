// As faults_test.cc, of HTTP/3; built only with its libraries.
#include "traffic/load/faults_fixture.h"
#include "traffic/load/http3_fault_server.h"

namespace hone::traffic::load {
namespace {

TEST(FaultsTest, Http3CountsAgreeWithTheServers) {
  for (const std::uint64_t seed : kSeeds) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Under under = run_under_faults<Http3FaultServer>(wire::Protocol::kHttp3, seed, false);
    check_counts(under, false);
    EXPECT_GT(under.result.resent, 0U);
    expect_names(under.result.failures,
                 {"stream-reset", "head-too-large", "informational-flood", "closed-before-answer",
                  "closed-in-body"},
                 under);
    expect_names(under.result.connection_failures, {"goaway", "closed-in-body"}, under);
  }
}

TEST(FaultsTest, Http3WithSilentServers) {
  const Under under = run_under_faults<Http3FaultServer>(wire::Protocol::kHttp3, 3, true);
  check_counts(under, true);
  expect_names(under.result.failures, {"timeout"}, under);
}

}  // namespace
}  // namespace hone::traffic::load
