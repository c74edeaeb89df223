// The generator over real sockets against servers that draw every fault at random: nothing hangs,
// the counts add up, and the server's own agree with them. HTTP/3's are in http3_faults_test.cc.
#include "traffic/load/faults_fixture.h"
#include "traffic/load/http1_fault_peer.h"
#include "traffic/load/http2_fault_peer.h"

namespace hone::traffic::load {
namespace {

TEST(FaultsTest, Http1CountsAgreeWithTheServers) {
  for (const std::uint64_t seed : kSeeds) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Under under =
        run_under_faults<FaultServer<Http1FaultPeer>>(wire::Protocol::kHttp1, seed, false);
    check_counts(under, false);
    expect_names(under.result.failures,
                 {"closed-before-answer", "closed-in-head", "closed-in-body", "connection-reset",
                  "broken-protocol", "head-too-large", "informational-flood"},
                 under);
    expect_names(under.result.connection_failures,
                 {"close-announced", "closed-while-idle", "unasked-bytes"}, under);
  }
}

TEST(FaultsTest, Http1WithSilentServers) {
  const Under under =
      run_under_faults<FaultServer<Http1FaultPeer>>(wire::Protocol::kHttp1, 3, true);
  check_counts(under, true);
  expect_names(under.result.failures, {"timeout"}, under);
  expect_names(under.result.connection_failures, {"timeout"}, under);
}

TEST(FaultsTest, Http2CountsAgreeWithTheServers) {
  for (const std::uint64_t seed : kSeeds) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Under under =
        run_under_faults<FaultServer<Http2FaultPeer>>(wire::Protocol::kHttp2, seed, false);
    check_counts(under, false);
    EXPECT_GT(under.result.resent, 0U);
    expect_names(under.result.failures,
                 {"stream-reset", "broken-protocol", "head-too-large", "informational-flood",
                  "flood", "closed-in-body"},
                 under);
    expect_names(under.result.connection_failures, {"goaway", "broken-protocol", "flood"}, under);
  }
}

TEST(FaultsTest, Http2WithSilentServers) {
  const Under under =
      run_under_faults<FaultServer<Http2FaultPeer>>(wire::Protocol::kHttp2, 3, true);
  check_counts(under, true);
  expect_names(under.result.failures, {"timeout"}, under);
}

}  // namespace
}  // namespace hone::traffic::load
