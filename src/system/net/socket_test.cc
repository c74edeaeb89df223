#include "system/net/socket.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/resource.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <thread>

namespace hone::system::net {
namespace {

bool wait_until(const Socket& socket, short events) {
  pollfd entry{socket.fd(), events, 0};
  return ::poll(&entry, 1, 5000) == 1;
}

// Serves one connection: reads until the end of a request head, sends `reply`, closes.
class OneReply {
 public:
  explicit OneReply(std::string reply, Address address = {"127.0.0.1", 0})
      : listener_(*listen(address)), thread_([this, text = std::move(reply)] { serve(text); }) {}
  ~OneReply() { thread_.join(); }
  Address address() const { return {"127.0.0.1", local_port(listener_)}; }
  std::string request;

 private:
  void serve(const std::string& reply) {
    if (!wait_until(listener_, POLLIN)) return;
    Socket peer = *accept_next(listener_);
    char buffer[4096];
    while (request.find("\r\n\r\n") == std::string::npos && wait_until(peer, POLLIN)) {
      const Io io = read_some(peer.fd(), buffer, sizeof buffer);
      if (io.state != IoState::kMoved) return;
      request.append(buffer, io.bytes);
    }
    std::string_view rest = reply;
    while (!rest.empty() && wait_until(peer, POLLOUT)) {
      const Io io = write_some(peer.fd(), rest);
      if (io.state == IoState::kFailed) return;
      rest.remove_prefix(io.bytes);
    }
  }
  Socket listener_;
  std::thread thread_;
};

TEST(AddressTest, RoundTrips) {
  for (const char* text : {"127.0.0.1:80", "[::1]:8080", "unix:/run/x.sock"}) {
    const auto address = parse_address(text);
    ASSERT_TRUE(address) << text;
    EXPECT_EQ(text, to_string(*address));
  }
}

TEST(AddressTest, RefusesWhatIsNoneAndSaysWhatItWants) {
  for (const char* text : {"", "127.0.0.1", "127.0.0.1:", "127.0.0.1:x", "127.0.0.1:65536",
                           "127.0.0.1:-1", ":80", "::1:80", "[::1]", "localhost:80", "unix:"}) {
    const auto address = parse_address(text);
    ASSERT_FALSE(address) << text;
    EXPECT_EQ(ErrorKind::kUsage, address.error().kind);
    EXPECT_NE(std::string::npos, address.error().next.find("HOST:PORT"));
  }
}

TEST(AddressTest, SplitsNamesForResolve) {
  const auto address = split_host_port("localhost:81");
  ASSERT_TRUE(address);
  EXPECT_EQ("localhost", address->host);
  EXPECT_EQ(81, address->port);
  EXPECT_EQ("10.0.0.1", resolve("10.0.0.1", 1)->host);
  EXPECT_EQ(1U, resolve_all("10.0.0.1", 1)->size());
  const auto named = resolve_all("localhost", 7);
  ASSERT_TRUE(named);
  for (const Address& one : *named) {
    EXPECT_TRUE(parse_address(to_string(one))) << to_string(one);
    EXPECT_EQ(7, one.port);
  }
  EXPECT_EQ(to_string(named->front()), to_string(*resolve("localhost", 7)));
}

TEST(SocketTest, ConnectsAndMovesBytesBothWays) {
  Socket listener = *listen({"127.0.0.1", 0});
  Socket client = *connect_start({"127.0.0.1", local_port(listener)});
  ASSERT_TRUE(wait_until(client, POLLOUT));
  EXPECT_TRUE(connect_result(client));
  ASSERT_TRUE(wait_until(listener, POLLIN));
  Socket server = *accept_next(listener);
  ASSERT_TRUE(server.open());
  EXPECT_FALSE(accept_next(listener)->open());

  char buffer[8];
  EXPECT_EQ(IoState::kWouldBlock, read_some(client.fd(), buffer, sizeof buffer).state);
  EXPECT_EQ(5U, write_some(server.fd(), "hello").bytes);
  ASSERT_TRUE(wait_until(client, POLLIN));
  EXPECT_EQ(5U, read_some(client.fd(), buffer, sizeof buffer).bytes);
  server.close();
  ASSERT_TRUE(wait_until(client, POLLIN));
  EXPECT_EQ(IoState::kEnded, read_some(client.fd(), buffer, sizeof buffer).state);
}

TEST(SocketTest, ResetIsSeenAsAFailureNotAsAnEnd) {
  Socket listener = *listen({"127.0.0.1", 0});
  Socket client = *connect_start({"127.0.0.1", local_port(listener)});
  ASSERT_TRUE(wait_until(listener, POLLIN));
  Socket server = *accept_next(listener);
  server.reset();
  ASSERT_TRUE(wait_until(client, POLLIN));
  char c = 0;
  const Io io = read_some(client.fd(), &c, 1);
  EXPECT_EQ(IoState::kFailed, io.state);
  EXPECT_EQ(ECONNRESET, io.error);
}

TEST(SocketTest, WritingToAPeerThatWentAwayRaisesNoSignal) {
  Socket listener = *listen({"127.0.0.1", 0});
  Socket client = *connect_start({"127.0.0.1", local_port(listener)});
  ASSERT_TRUE(wait_until(listener, POLLIN));
  accept_next(listener)->reset();
  ASSERT_TRUE(wait_until(client, POLLIN));
  Io io;
  for (int i = 0; i < 3 && io.state != IoState::kFailed; ++i) io = write_some(client.fd(), "x");
  EXPECT_EQ(IoState::kFailed, io.state);
}

TEST(SocketTest, ATakenPortNamesItsKind) {
  Socket listener = *listen({"127.0.0.1", 0});
  const auto second = listen({"127.0.0.1", local_port(listener)});
  ASSERT_FALSE(second);
  EXPECT_EQ(ErrorKind::kPortTaken, second.error().kind);
  EXPECT_FALSE(second.error().next.empty());
  EXPECT_FALSE(port_is_free(local_port(listener)));
}

TEST(SocketTest, ReusePortLetsSeveralListen) {
  Socket first = *listen({"127.0.0.1", 0}, /*reuse_port=*/true);
  EXPECT_TRUE(listen({"127.0.0.1", local_port(first)}, /*reuse_port=*/true));
}

TEST(SocketTest, UnixSocketsListenAndConnect) {
  char folder[] = "/tmp/hone-socket-XXXXXX";
  ASSERT_NE(nullptr, ::mkdtemp(folder));
  const Address address{std::string("unix:") + folder + "/s", 0};
  {
    Socket listener = *listen(address);
    EXPECT_TRUE(tcp_accepts(address, 1));
    const auto second = listen(address);
    ASSERT_FALSE(second);
    EXPECT_EQ(ErrorKind::kPortTaken, second.error().kind);
    EXPECT_TRUE(tcp_accepts(address, 1));
  }
  EXPECT_TRUE(listen(address));  // over the name that it left behind
  const Address file{std::string("unix:") + folder + "/file", 0};
  std::ofstream(std::string(folder) + "/file") << "kept";
  EXPECT_FALSE(listen(file));
  EXPECT_TRUE(std::filesystem::exists(std::string(folder) + "/file"));
  ::unlink((std::string(folder) + "/file").c_str());
  ::unlink((std::string(folder) + "/s").c_str());
  ::rmdir(folder);
}

TEST(SocketTest, ARefusedConnectionSaysSo) {
  const auto ports = free_ports(1);
  ASSERT_TRUE(ports);
  EXPECT_FALSE(tcp_accepts({"127.0.0.1", ports->front()}, 1));
  const HttpReply reply = http_exchange("GET", {"127.0.0.1", ports->front()}, "/", 1);
  EXPECT_EQ(0, reply.status);
  EXPECT_NE(std::string::npos, reply.error.find("refused"));
}

TEST(PortsTest, AreDifferentAndFree) {
  const auto ports = free_ports(20);
  ASSERT_TRUE(ports);
  EXPECT_EQ(20U, std::set<std::uint16_t>(ports->begin(), ports->end()).size());
  EXPECT_TRUE(port_is_free(ports->front()));
}

TEST(DescriptorsTest, RaisesTheSoftLimitAndRefusesBeyondTheHardOne) {
  rlimit before{};
  ASSERT_EQ(0, ::getrlimit(RLIMIT_NOFILE, &before));
  rlimit low = before;
  low.rlim_cur = std::min<rlim_t>(before.rlim_max, 64);
  ASSERT_EQ(0, ::setrlimit(RLIMIT_NOFILE, &low));
  if (before.rlim_max > 1000) {
    EXPECT_TRUE(reserve_descriptors(500));
    rlimit after{};
    ::getrlimit(RLIMIT_NOFILE, &after);
    EXPECT_GE(after.rlim_cur, 500U);
  }
  const Status refused = reserve_descriptors(before.rlim_max);
  ASSERT_FALSE(refused);
  EXPECT_NE(std::string::npos, refused.error().next.find("ulimit"));
  ::setrlimit(RLIMIT_NOFILE, &before);
}

TEST(HttpExchangeTest, ReadsEveryKindOfBody) {
  struct Case {
    const char* wire;
    int status;
    const char* body;
  };
  for (const Case& c : {
           Case{"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", 200, "ok"},
           Case{"HTTP/1.1 200 OK\r\n\r\nuntil close", 200, "until close"},
           Case{"HTTP/1.1 200 OK\r\ntransfer-encoding: "
                "Chunked\r\n\r\n3;x=y\r\nabc\r\n1\r\nd\r\n0\r\nt: "
                "1\r\n\r\n",
                200, "abcd"},
           Case{"HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\nHTTP/1.1 503 No\r\ncontent-length: "
                "0\r\n\r\n",
                503, ""},
           Case{"HTTP/1.0 204 No Content\r\n\r\n", 204, ""},
       }) {
    OneReply server(c.wire);
    const HttpReply reply = http_exchange("GET", server.address(), "/ready", 5);
    EXPECT_EQ(c.status, reply.status) << c.wire << reply.error;
    EXPECT_EQ(c.body, reply.body) << c.wire;
  }
}

TEST(HttpExchangeTest, SendsWhatItWasAsked) {
  OneReply server("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
  EXPECT_EQ(200, http_exchange("POST", server.address(), "/quit", 5).status);
  EXPECT_TRUE(server.request.starts_with("POST /quit HTTP/1.1\r\nHost: 127.0.0.1:"));
}

TEST(HttpExchangeTest, NamesWhatIsWrongWithAnAnswer) {
  for (const auto& [wire, word] : std::vector<std::pair<const char*, const char*>>{
           {"", "without an answer"},
           {"SSH-2.0-x\r\n\r\n", "not HTTP"},
           {"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nshort", "mid-answer"},
           {"HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n", "not HTTP"},
           {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", "not HTTP"}}) {
    OneReply server(wire);
    const HttpReply reply = http_exchange("GET", server.address(), "/", 5);
    EXPECT_EQ(0, reply.status) << wire;
    EXPECT_NE(std::string::npos, reply.error.find(word)) << wire << " -> " << reply.error;
  }
}

TEST(HttpExchangeTest, GivesUpAtTheLimit) {
  Socket silent = *listen({"127.0.0.1", 0});
  const HttpReply reply = http_exchange("GET", {"127.0.0.1", local_port(silent)}, "/", 0.03);
  EXPECT_EQ(0, reply.status);
  EXPECT_NE(std::string::npos, reply.error.find("in time"));
}

}  // namespace
}  // namespace hone::system::net
