// Load and origin over other ways than IPv4: a Unix socket, IPv6.
#include <gtest/gtest.h>

#include <memory>

#include "system/temporary_folder.h"
#include "traffic/load/load_session.h"
#include "traffic/origin/origin.h"

namespace hone::traffic::load {
namespace {

using system::net::LoopThread;
using wire::Protocol;

class AddressFamiliesTest : public testing::TestWithParam<Protocol> {
 protected:
  void check(const system::net::Address& listen) {
    const auto thread = *LoopThread::start({});
    std::unique_ptr<origin::Origin> origin;
    Status listening;
    thread->call([&] {
      origin::OriginSpec spec;
      spec.listen = listen;
      auto made = origin::Origin::listen(&thread->loop(), spec);
      if (made) {
        origin = *std::move(made);
      } else {
        listening = tl::make_unexpected(made.error());
      }
    });
    ASSERT_TRUE(listening) << describe(listening.error());
    const auto session = make_in_process(thread.get());
    PoolSpec pool;
    pool.target.protocol = GetParam();
    pool.target.address = {listen.host, origin->port()};
    pool.requests[0].request.authority = "test";
    pool.requests[0].request.path = "/bytes/1000";
    pool.connections = 3;
    const auto id = session->connect(pool);
    ASSERT_TRUE(id) << describe(id.error());
    SliceSpec slice;
    slice.rate = 1000;
    slice.duration_s = 0.1;
    const auto result = session->slice(*id, slice);
    ASSERT_TRUE(result) << describe(result.error());
    EXPECT_EQ(100U, result->ok + result->missed);
    EXPECT_EQ(result->ok * 1000, result->body_bytes);
    EXPECT_EQ(3U, result->connections_made);
    EXPECT_TRUE(result->connection_failures.empty());
    session->close(*id);
    thread->call([&] { origin.reset(); });
    // Nobody is there any more: an error that says so, at once.
    const auto gone = session->connect(pool);
    ASSERT_FALSE(gone);
    EXPECT_NE(std::string::npos, gone.error().what.find("0 of 3 connections")) << gone.error().what;
  }
};

TEST_P(AddressFamiliesTest, AUnixSocket) {
  const system::TemporaryFolder folder;
  const system::net::Address address{"unix:" + (folder.path() / "origin").string(), 0};
  check(address);
  check(address);  // what the first one left behind is no hindrance
}

TEST_P(AddressFamiliesTest, Ipv6) {
  const auto probe = system::net::listen({"::1", 0});
  if (!probe) GTEST_SKIP() << "::1 is not there: " << probe.error().what;
  check({"::1", 0});
}

INSTANTIATE_TEST_SUITE_P(Protocols, AddressFamiliesTest,
                         testing::Values(Protocol::kHttp1, Protocol::kHttp2),
                         [](const auto& protocol) {
                           return std::string(wire::name(protocol.param));
                         });

}  // namespace
}  // namespace hone::traffic::load
