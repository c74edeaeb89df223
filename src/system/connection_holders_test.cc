#include "system/connection_holders.h"

#include <gtest/gtest.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "system/net/loop.h"
#include "system/net/socket.h"

namespace hone::system {
namespace {

TEST(ConnectionHoldersTest, ServerEndsAreTheEstablishedOnesAtThatPort) {
  const std::string table =
      "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout "
      "inode\n"
      "   0: 0100007F:2379 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 "
      "12394 1 00 100 0 0 10 0\n"
      "   1: 0100007F:2379 0100007F:B332 01 00000000:00000000 00:00000000 00000000     0        0 "
      "60957 1 00 20 8 0 148 -1\n"
      "   2: 0100007F:B332 0100007F:2379 01 00000000:00000000 00:00000000 00000000     0        0 "
      "60958 1 00 20 8 0 148 -1\n"
      "   3: 0100007F:2379 0100007F:B334 06 00000000:00000000 03:00001174 00000000     0        0 "
      "0 3 00\n"
      "   4: 0100007F:2379 0100007F:B336 01 00000000:00000000 03:00001174 00000000     0        0 "
      "0 3 00\n"
      "   5: cut short\n";
  const auto ends = server_ends(table, 0x2379);
  ASSERT_EQ(ends.size(), 1U);
  EXPECT_EQ(ends[0].peer_port, 0xB332);
  EXPECT_EQ(ends[0].inode, 60957U);
}

TEST(ConnectionHoldersTest, WatchedDescriptorsAreTheEpollSetsLines) {
  EXPECT_EQ(watched_descriptors("pos:\t0\nflags:\t02000002\n"
                                "tfd:       12 events:       19 data:       270000000c  pos:0 "
                                "ino:ee8a sdev:9\ntfd:        9 events:       19\ntfd:\n"),
            (std::vector<int>{12, 9}));
  EXPECT_TRUE(watched_descriptors("eventfd-count: 3\n").empty());
}

class Idle final : public net::Pollable {
 public:
  void ready(std::uint32_t) override {}
};

// This process as a server with two workers, each a loop of its own, and one socket outside both.
TEST(ConnectionHoldersTest, TellsTheWorkersOfThisProcessApart) {
  const auto listener = net::listen({"127.0.0.1", 0});
  ASSERT_TRUE(listener);
  const std::uint16_t port = net::local_port(*listener);
  std::vector<net::Socket> clients;
  std::vector<net::Socket> accepted;
  for (int i = 0; i < 4; ++i) {
    auto client = net::connect_start({"127.0.0.1", port});
    ASSERT_TRUE(client);
    clients.push_back(*std::move(client));
    auto socket = net::accept_next(*listener);
    ASSERT_TRUE(socket && socket->open());
    accepted.push_back(*std::move(socket));
  }
  const auto first = net::Loop::create();
  const auto second = net::Loop::create();
  ASSERT_TRUE(first && second);
  Idle idle;
  ASSERT_TRUE((*first)->add(accepted[0].fd(), EPOLLIN, &idle));
  ASSERT_TRUE((*second)->add(accepted[1].fd(), EPOLLIN, &idle));
  ASSERT_TRUE((*second)->add(accepted[2].fd(), EPOLLIN, &idle));

  const auto holders = connection_holders(::getpid(), port);
  ASSERT_TRUE(holders);
  ASSERT_EQ(holders->size(), 4U);
  const auto of = [&](std::size_t i) { return holders->at(net::local_port(clients[i])); };
  EXPECT_EQ(of(0).pid, ::getpid());
  EXPECT_GE(of(0).epoll, 0);
  EXPECT_EQ(of(1), of(2));
  EXPECT_NE(of(0), of(1));
  EXPECT_EQ(of(3).epoll, -1);
}

TEST(ConnectionHoldersTest, ATreeThatIsGoneIsAnError) {
  EXPECT_FALSE(connection_holders(0x7ffffff0, 80));
}

}  // namespace
}  // namespace hone::system
