#include "system/net/datagram.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>

#include <cerrno>
#include <string>
#include <utility>
#include <vector>

namespace hone::system::net {
namespace {

bool readable(const Socket& socket) {
  pollfd entry{socket.fd(), POLLIN, 0};
  return ::poll(&entry, 1, 5000) == 1;
}

// The next `count` datagrams, whatever batches they come in.
std::vector<std::string> receive(const Socket& socket, std::size_t count, PeerAddress* from) {
  DatagramReader reader(4);
  std::vector<std::string> all;
  while (all.size() < count && readable(socket)) {
    if (reader.read(socket.fd()).state != IoState::kMoved) break;
    for (const Arrival& arrival : reader.arrivals()) {
      *from = arrival.from;
      for_each_datagram(arrival.batch, [&](std::string_view one) { all.emplace_back(one); });
    }
  }
  return all;
}

class DatagramTest : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    auto bound = bind_datagrams({GetParam(), 0});
    if (!bound) GTEST_SKIP() << bound.error().what;
    server_ = *std::move(bound);
    address_ = {GetParam(), local_port(server_)};
    client_ = *connect_datagrams(address_);
  }
  Socket server_, client_;
  Address address_;
  PeerAddress from_;
};

TEST_P(DatagramTest, ABatchArrivesAsTheDatagramsItIsMadeOf) {
  std::string bytes(1200, 'a');
  bytes += std::string(1200, 'b') + std::string(1200, 'c') + std::string(7, 'd');
  for (const Packets packets : {Packets::kTogether, Packets::kSingle}) {
    const Io sent = send_batch(client_.fd(), {bytes, 1200}, nullptr, packets);
    ASSERT_EQ(IoState::kMoved, sent.state);
    EXPECT_EQ(bytes.size(), sent.bytes);
    const auto datagrams = receive(server_, 4, &from_);
    ASSERT_EQ(4U, datagrams.size());
    EXPECT_EQ(std::string(1200, 'a'), datagrams[0]);
    EXPECT_EQ(std::string(1200, 'c'), datagrams[2]);
    EXPECT_EQ(std::string(7, 'd'), datagrams[3]);
  }
}

// A receiver that has asked for packets put together by the kernel, and takes one datagram a read.
TEST_P(DatagramTest, SinglePacketsReachAReceiverThatCannotTakeThemTogether) {
  const std::string bytes(3 * 1200, 'x');
  std::string one(1500, '\0');
  for (const Packets packets : {Packets::kTogether, Packets::kSingle}) {
    ASSERT_EQ(bytes.size(), send_batch(client_.fd(), {bytes, 1200}, nullptr, packets).bytes);
    ASSERT_TRUE(readable(server_));
    const ssize_t size = ::recv(server_.fd(), one.data(), one.size(), MSG_TRUNC);
    if (packets == Packets::kSingle) {
      EXPECT_EQ(size, 1200);
    } else if (size == 1200) {
      GTEST_SKIP() << "this kernel puts no datagrams together";
    }
    while (::recv(server_.fd(), one.data(), one.size(), MSG_DONTWAIT) > 0) continue;
  }
}

TEST_P(DatagramTest, AnAnswerFindsItsWayToWhomItCameFrom) {
  ASSERT_EQ(IoState::kMoved,
            send_batch(client_.fd(), {"ping", 4}, nullptr, Packets::kSingle).state);
  ASSERT_EQ(1U, receive(server_, 1, &from_).size());
  const std::string bytes(2 * kMostSegments, 'x');
  ASSERT_EQ(bytes.size(), send_batch(server_.fd(), {bytes, 2}, &from_, Packets::kTogether).bytes);
  const auto datagrams = receive(client_, kMostSegments, &from_);
  EXPECT_EQ(kMostSegments, datagrams.size());
  EXPECT_EQ(address_.port, local_port(server_));
}

TEST_P(DatagramTest, TheLargestBatchIsTaken) {
  const std::string bytes(kMostBatchBytes, 'x');
  EXPECT_EQ(bytes.size(),
            send_batch(client_.fd(), {bytes, 1452}, nullptr, Packets::kTogether).bytes);
  std::size_t total = 0;
  for (const auto& one : receive(server_, bytes.size() / 1452 + 1, &from_)) total += one.size();
  EXPECT_EQ(bytes.size(), total);
}

TEST_P(DatagramTest, NothingToReadIsNoError) {
  DatagramReader reader(1);
  EXPECT_EQ(IoState::kWouldBlock, reader.read(client_.fd()).state);
  EXPECT_TRUE(reader.arrivals().empty());
}

TEST_P(DatagramTest, APeerThatIsNotThereIsRefused) {
  server_.close();
  EXPECT_EQ(IoState::kMoved,
            send_batch(client_.fd(), {"ping", 4}, nullptr, Packets::kSingle).state);
  ASSERT_TRUE(readable(client_));  // the error wakes
  DatagramReader reader(1);
  const Io io = reader.read(client_.fd());
  EXPECT_EQ(IoState::kFailed, io.state);
  EXPECT_EQ(ECONNREFUSED, io.error);
}

TEST_P(DatagramTest, APortIsTakenOnceUnlessItIsShared) {
  const auto second = bind_datagrams(address_);
  ASSERT_FALSE(second);
  EXPECT_EQ(ErrorKind::kPortTaken, second.error().kind);
  const auto shared = bind_datagrams({GetParam(), 0}, true);
  ASSERT_TRUE(shared);
  EXPECT_TRUE(bind_datagrams({GetParam(), local_port(*shared)}, true));
}

// A connected client takes an answer only from where it has asked.
TEST(DatagramAddressTest, ASocketOnAllAddressesAnswersFromTheOneThatWasAsked) {
  for (const auto& [wildcard, asked] :
       {std::pair{"0.0.0.0", "127.0.0.2"}, {"::", "127.0.0.2"}, {"::", "::1"}}) {
    SCOPED_TRACE(std::string(wildcard) + " asked at " + asked);
    const auto server = bind_datagrams({wildcard, 0});
    if (!server) continue;  // no IPv6 here
    const auto client = connect_datagrams({asked, local_port(*server)});
    ASSERT_TRUE(client) << client.error().what;
    PeerAddress from;
    for (const Packets packets : {Packets::kTogether, Packets::kSingle}) {
      ASSERT_EQ(4U, send_batch(client->fd(), {"ping", 4}, nullptr, Packets::kSingle).bytes);
      ASSERT_EQ(1U, receive(*server, 1, &from).size());
      EXPECT_GT(from.own_length, 0U);
      ASSERT_EQ(6U, send_batch(server->fd(), {"answer", 3}, &from, packets).bytes);
      PeerAddress unused;
      EXPECT_EQ(2U, receive(*client, 2, &unused).size());
    }
  }
}

// A pair of Unix sockets, because its kernel buffer fills; that of UDP on loopback does not.
TEST(DatagramSenderTest, WhatTheKernelDoesNotTakeIsHeldBackAndSentOnce) {
  int pair[2];
  ASSERT_EQ(0, ::socketpair(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0, pair));
  const Socket near(pair[0]), far(pair[1]);
  DatagramSender sender(Packets::kSingle);
  EXPECT_EQ(IoState::kMoved, sender.resend(near.fd()).state);
  std::size_t sent = 0, made = 0;
  Io io{IoState::kMoved, 0, 0};
  for (int i = 0; i < 10'000 && io.state == IoState::kMoved; ++i) {
    std::string batch;
    for (int j = 0; j < 5; ++j) batch += std::to_string(100'000 + made++);
    io = sender.send(near.fd(), {batch, 6}, nullptr);
    sent += io.bytes;
  }
  ASSERT_EQ(IoState::kWouldBlock, io.state);
  EXPECT_LT(sent, made * 6);
  EXPECT_EQ(IoState::kWouldBlock, sender.resend(near.fd()).state);
  std::string all;
  while (all.size() < made * 6) {
    char one[8];
    ssize_t size = 0;
    while ((size = ::recv(far.fd(), one, sizeof one, 0)) > 0) {
      ASSERT_EQ(6, size);
      all.append(one, 6);
    }
    const std::size_t before = sent;
    sent += sender.resend(near.fd()).bytes;
    if (sent == before && ::recv(far.fd(), one, sizeof one, MSG_PEEK) < 0) break;
  }
  EXPECT_EQ(made * 6, sent);
  ASSERT_EQ(made * 6, all.size());
  for (std::size_t i = 0; i < made; ++i)
    ASSERT_EQ(std::to_string(100'000 + i), all.substr(6 * i, 6));
}

TEST(DatagramSenderTest, AFailureLosesTheRest) {
  int pair[2];
  ASSERT_EQ(0, ::socketpair(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0, pair));
  const Socket near(pair[0]);
  Socket(pair[1]).close();
  DatagramSender sender(Packets::kSingle);
  const Io io = sender.send(near.fd(), {"datagram", 4}, nullptr);
  EXPECT_EQ(IoState::kFailed, io.state);
  EXPECT_EQ(ECONNREFUSED, io.error);
  EXPECT_EQ(IoState::kMoved, sender.resend(near.fd()).state);
}

INSTANTIATE_TEST_SUITE_P(Families, DatagramTest, testing::Values("127.0.0.1", "::1"));

TEST(DatagramAddressTest, UnixSocketsAreRefused) {
  EXPECT_EQ(ErrorKind::kUsage, connect_datagrams({"unix:/tmp/x", 0}).error().kind);
  EXPECT_EQ(ErrorKind::kUsage, bind_datagrams({"unix:/tmp/x", 0}).error().kind);
}

}  // namespace
}  // namespace hone::system::net
