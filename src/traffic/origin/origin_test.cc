// The origin on a real loop and real loopback sockets: raw bytes where framing matters, the client
// sessions of wire elsewhere.
#include "traffic/origin/origin.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <future>
#include <string>
#include <vector>

#include "base/json.h"
#include "system/descriptor.h"
#include "system/interrupt.h"
#include "system/real.h"
#include "system/temporary_folder.h"
#include "traffic/origin/origin_threads.h"
#include "traffic/origin/test_peer.h"
#include "traffic/wire/tls.h"

namespace hone::traffic::origin {
namespace {

using system::net::Address;
using system::net::LoopThread;
using wire::Protocol;

class OriginTest : public testing::Test {
 protected:
  void serve(OriginSpec spec = {}) {
    auto thread = LoopThread::start({});
    ASSERT_TRUE(thread);
    thread_ = *std::move(thread);
    thread_->call([&] {
      auto origin = Origin::listen(&thread_->loop(), spec);
      ASSERT_TRUE(origin) << origin.error().what;
      origin_ = *std::move(origin);
      port_ = origin_->port();
    });
  }
  void TearDown() override {
    if (thread_) thread_->call([&] { origin_.reset(); });
  }

  OriginCounters counters() {
    OriginCounters now;
    thread_->call([&] { now = origin_->counters(); });
    return now;
  }

  // Until the origin has seen `connections` of them open.
  bool open_connections_become(std::uint64_t connections) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(kLimitMs);
    while (counters().open_connections != connections) {
      if (std::chrono::steady_clock::now() > end) return false;
      poll(nullptr, 0, 1);
    }
    return true;
  }

  system::net::HttpReply get(const std::string& path, const std::string& method = "GET") {
    return system::net::http_exchange(method, {"127.0.0.1", port_}, path, 10);
  }

  std::unique_ptr<LoopThread> thread_;
  std::unique_ptr<Origin> origin_;
  std::uint16_t port_ = 0;
};

TEST_F(OriginTest, AnswersBytesAndKeepsTheConnection) {
  serve();
  Peer peer(port_);
  for (int i = 0; i < 3; ++i) {
    peer.send("GET /bytes/5 HTTP/1.1\r\nhost: o\r\n\r\n");
    EXPECT_EQ(without_date(peer.receive_until("\r\n\r\nabcde")),
              "HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: 5\r\n\r\nabcde");
  }
  const OriginCounters now = counters();
  EXPECT_EQ(now.requests, 3U);
  EXPECT_EQ(now.responses, 3U);
  EXPECT_EQ(now.connections, 1U);
  EXPECT_EQ(now.open_connections, 1U);
  EXPECT_EQ(now.bytes_in, 3 * 34U);
  EXPECT_GT(now.bytes_out, 3 * 5U);
  EXPECT_EQ(now.protocol_errors, 0U);
}

TEST_F(OriginTest, AnswersPipelinedRequestsInOrder) {
  serve();
  Peer peer(port_);
  std::string requests;
  for (int i = 0; i < 50; ++i) {
    requests += "GET /status/" + std::to_string(200 + i) + " HTTP/1.1\r\nhost: o\r\n\r\n";
  }
  peer.send(requests + "GET /close/0 HTTP/1.1\r\nhost: o\r\n\r\n");
  const std::string all = peer.receive_all();
  std::size_t at = 0;
  for (int i = 0; i < 50; ++i) {
    at = all.find("HTTP/1.1 " + std::to_string(200 + i), at);
    ASSERT_NE(at, std::string::npos) << i;
  }
}

TEST_F(OriginTest, ServesEveryPathOverBothProtocols) {
  serve();
  for (const Protocol protocol : {Protocol::kHttp1, Protocol::kHttp2}) {
    Client client(port_, protocol);
    EXPECT_EQ(client.ask("/bytes/4096").body_bytes, 4096U);
    EXPECT_EQ(client.ask("/bytes/0").status, 200);
    EXPECT_EQ(client.ask("/headers/20/100").status, 200);
    EXPECT_EQ(client.ask("/status/503").status, 503);
    EXPECT_EQ(client.ask("/status/204").status, 204);
    EXPECT_EQ(client.ask("/chunked/100000").body_bytes, 100'000U);
    EXPECT_EQ(client.ask("/chunked/10/trailers").body_bytes, 10U);
    EXPECT_EQ(client.ask("/early-hints/2").informational, 2);
    EXPECT_EQ(client.ask("/delay/20/bytes/3").body_bytes, 3U);
    EXPECT_EQ(client.ask("/echo", std::string(70'000, 'x')).body_bytes, 70'000U);
    EXPECT_EQ(client.ask("/nothing").status, 404);
    const auto last = client.ask("/bytes/20000000");
    EXPECT_EQ(last.body_bytes, 20'000'000U);
  }
  EXPECT_EQ(counters().connections, 2U);
  EXPECT_EQ(counters().protocol_errors, 0U);
}

TEST_F(OriginTest, EndsABodyByClosing) {
  serve();
  Peer peer(port_);
  peer.send("GET /close/10 HTTP/1.1\r\nhost: o\r\n\r\n");
  const std::string all = peer.receive_all();
  EXPECT_TRUE(all.ends_with("\r\n\r\nabcdefghij"));
  EXPECT_EQ(all.find("content-length"), std::string::npos);
  EXPECT_TRUE(open_connections_become(0));
}

TEST_F(OriginTest, ClosesAnHttp2ConnectionAfterAClosingAnswer) {
  serve();
  Client client(port_, Protocol::kHttp2);
  EXPECT_EQ(client.ask("/close/10").body_bytes, 10U);
  client.wait_for(2);  // until the end
  EXPECT_TRUE(client.closing());
  EXPECT_TRUE(open_connections_become(0));
}

TEST_F(OriginTest, ManyStreamsAtOnceWithDelays) {
  serve();
  Client client(port_, Protocol::kHttp2);
  for (int i = 0; i < 100; ++i) {
    client.submit("/delay/" + std::to_string(i % 7) + "/bytes/" + std::to_string(i));
  }
  EXPECT_EQ(client.wait_for(100).size(), 100U);
}

TEST_F(OriginTest, ADelayedAnswerTakesItsTimeAndHoldsUpNobody) {
  serve();
  Client slow(port_, Protocol::kHttp1);
  Client quick(port_, Protocol::kHttp1);
  const auto begin = std::chrono::steady_clock::now();
  slow.submit("/delay/200/bytes/1");
  slow.wait_for(0);
  EXPECT_EQ(quick.ask("/bytes/1").status, 200);
  EXPECT_EQ(slow.wait_for(1).size(), 1U);
  EXPECT_GE(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds(200));
}

TEST_F(OriginTest, ADelayedAnswerToAPeerThatLeftIsForgotten) {
  serve();
  {
    Peer peer(port_);
    peer.send("GET /delay/50/bytes/1 HTTP/1.1\r\nhost: o\r\n\r\n");
    while (counters().requests == 0) poll(nullptr, 0, 1);
    peer.close_with_reset();
  }
  EXPECT_TRUE(open_connections_become(0));
  poll(nullptr, 0, 60);  // past the time of the answer
  EXPECT_EQ(get("/bytes/1").status, 200);
  EXPECT_EQ(counters().responses, 1U);
}

TEST_F(OriginTest, AnAnswerToAResetStreamIsNotCounted) {
  serve();
  Peer peer(port_);
  const auto frame = [](char type, char flags, char stream, const std::string& payload) {
    const std::string head{'\0', '\0', static_cast<char>(payload.size()), type, flags};
    return head + std::string(3, '\0') + stream + payload;
  };
  const std::string path = "/delay/20/bytes/1";
  const std::string fields = "\x82\x86\x04" + std::string(1, static_cast<char>(path.size())) +
                             path + "\x01\x01o";  // GET, http, the path, the authority (RFC 7541)
  peer.send("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + frame(4, 0, 0, "") +  // SETTINGS
            frame(1, 5, 1, fields) + frame(1, 5, 3, fields) +          // HEADERS, whole
            frame(3, 0, 1, std::string("\0\0\0\x08", 4)));             // RST_STREAM: CANCEL
  while (counters().responses == 0) poll(nullptr, 0, 1);  // both have fallen due at one moment
  EXPECT_EQ(counters().requests, 2U);
  EXPECT_EQ(counters().responses, 1U);
}

TEST_F(OriginTest, AnswersWhatItOwesToAPeerThatHasFinishedSending) {
  serve();
  Peer peer(port_);
  peer.send("GET /delay/20/bytes/3 HTTP/1.1\r\nhost: o\r\n\r\n");
  peer.end_output();
  EXPECT_TRUE(peer.receive_all().ends_with("\r\n\r\nabc"));
  EXPECT_TRUE(open_connections_become(0));
}

TEST_F(OriginTest, TellsItsCounters) {
  serve();
  get("/bytes/1");
  const auto reply = get("/stats");
  const auto stats = parse_json(reply.body, "/stats");
  ASSERT_TRUE(stats);
  EXPECT_EQ(stats->at("requests"), 2);
  EXPECT_EQ(stats->at("responses"), 1);
  EXPECT_EQ(stats->at("arrival_gap_us").at("count"), 0);  // each had a connection of its own
}

TEST_F(OriginTest, TellsTheGapsBetweenArrivalsOnEachConnection) {
  serve();
  Peer together(port_), apart(port_);
  const std::string request = "GET /bytes/1 HTTP/1.1\r\nhost: o\r\n\r\n";
  together.send(request + request + request);
  EXPECT_FALSE(together.receive().empty());
  apart.send(request);
  EXPECT_FALSE(apart.receive().empty());
  // An answer that takes 20 ms lies between the two.
  Peer slow(port_);
  slow.send("GET /delay/20/bytes/1 HTTP/1.1\r\nhost: o\r\n\r\n");
  EXPECT_FALSE(slow.receive().empty());
  apart.send(request);
  EXPECT_FALSE(apart.receive().empty());
  const auto stats = parse_json(get("/stats").body, "/stats");
  ASSERT_TRUE(stats);
  const Json& gaps = stats->at("arrival_gap_us");
  EXPECT_EQ(gaps.at("count"), 3);
  EXPECT_EQ(gaps.at("p50"), 0);
  EXPECT_GE(gaps.at("max"), 20'000);
  std::uint64_t sum = 0;
  for (const Json& bucket : gaps.at("histogram")) sum += bucket.at("count").get<std::uint64_t>();
  EXPECT_EQ(sum, 3U);
  EXPECT_EQ(gaps.at("histogram")[0], (Json{{"up_to_us", 0}, {"count", 2}}));
  EXPECT_TRUE(gaps.at("histogram").back().at("up_to_us").is_null());
}

TEST_F(OriginTest, AnUploadThatIsNotEchoedIsCountedAndNotKept) {
  serve();
  Peer peer(port_);
  constexpr std::size_t kBytes = 40 << 20;  // above what an echo takes
  const std::string head = " HTTP/1.1\r\nhost: o\r\ncontent-length: " + std::to_string(kBytes);
  peer.send("POST /bytes/1" + head + "\r\n\r\n");
  const std::string piece(1 << 20, 'u');
  for (std::size_t sent = 0; sent < kBytes; sent += piece.size()) peer.send(piece);
  EXPECT_TRUE(peer.receive_until("\r\n\r\na").starts_with("HTTP/1.1 200"));
  EXPECT_EQ(counters().request_body_bytes, kBytes);
  peer.send("POST /echo" + head + "\r\n\r\n");
  EXPECT_TRUE(peer.receive().starts_with("HTTP/1.1 413"));
}

TEST_F(OriginTest, EveryAnswerHasItsDate) {
  serve();
  Peer peer(port_);
  peer.send("GET /bytes/1 HTTP/1.1\r\nhost: o\r\n\r\n");
  const std::string reply = peer.receive_until("\r\n\r\na");
  const auto at = reply.find("\r\ndate: ");
  ASSERT_NE(at, std::string::npos) << reply;
  EXPECT_EQ(reply.substr(at + 33, 6), " GMT\r\n") << reply;
}

TEST_F(OriginTest, AnswersThatAreDueAtOnceAllLeave) {
  serve();
  Peer peer(port_);
  std::string requests;
  for (int i = 0; i < 500; ++i) requests += "GET /delay/10/bytes/1 HTTP/1.1\r\nhost: o\r\n\r\n";
  peer.send(requests);
  std::size_t answers = 0;
  while (answers < 500) {
    const std::string more = peer.receive();
    ASSERT_FALSE(more.empty()) << answers;
    for (auto at = more.find("HTTP/1.1 200"); at != more.npos;
         at = more.find("HTTP/1.1 200", at + 1)) {
      ++answers;
    }
  }
  EXPECT_EQ(answers, 500U);
}

TEST_F(OriginTest, AnswersHeadWithoutABody) {
  serve();
  Peer peer(port_);
  peer.send("HEAD /bytes/5 HTTP/1.1\r\nhost: o\r\n\r\nGET /bytes/1 HTTP/1.1\r\nhost: o\r\n\r\n");
  EXPECT_EQ(without_date(peer.receive_until("\r\n\r\na")),
            "HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: 5\r\n\r\n"
            "HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: 1\r\n\r\na");
}

TEST_F(OriginTest, ABrokenRequestIsAnsweredCountedAndClosed) {
  serve();
  Peer peer(port_);
  peer.send("GET  /bytes/1 HTTP/1.1\r\n\r\n");
  EXPECT_TRUE(peer.receive().starts_with("HTTP/1.1 400"));
  // More may come before the peer has read that; it does not turn into a reset.
  peer.send(std::string(200'000, 'x'));
  peer.end_output();
  EXPECT_TRUE(open_connections_become(0));
  EXPECT_EQ(counters().protocol_errors, 1U);
}

TEST_F(OriginTest, ABrokenConnectionThatStaysIsClosedSoon) {
  serve();
  Peer peer(port_);
  peer.send("nonsense\r\n\r\n");
  EXPECT_NE(peer.receive_all(), "");
  EXPECT_TRUE(open_connections_become(0));
}

TEST_F(OriginTest, APeerThatDoesNotReadHoldsUpNobodyAndNoMemory) {
  serve();
  Peer deaf(port_);
  std::string requests;
  for (int i = 0; i < 200; ++i) requests += "GET /bytes/1000000 HTTP/1.1\r\nhost: o\r\n\r\n";
  deaf.send(requests);
  EXPECT_EQ(get("/bytes/1").status, 200);
  // At most what its socket's buffers take has been made.
  EXPECT_LT(counters().bytes_out, 64U << 20);
  // And when it reads at last, everything is there.
  std::uint64_t received = 0;
  while (received < 200'000'000) {
    const std::string more = deaf.receive();
    if (more.empty()) break;
    received += more.size();
  }
  EXPECT_GT(received, 200'000'000U);
  deaf.close();
  EXPECT_TRUE(open_connections_become(0));
}

TEST_F(OriginTest, ManyConnectionsComeAndGo) {
  serve();
  for (int round = 0; round < 3; ++round) {
    std::vector<std::unique_ptr<Peer>> peers;
    for (int i = 0; i < 200; ++i) peers.push_back(std::make_unique<Peer>(port_));
    for (auto& peer : peers) peer->send("GET /bytes/1 HTTP/1.1\r\nhost: o\r\n\r\n");
    for (auto& peer : peers)
      EXPECT_TRUE(peer->receive_until("\r\n\r\na").starts_with("HTTP/1.1 200"));
    EXPECT_EQ(counters().open_connections, 200U);
    peers.clear();
    EXPECT_TRUE(open_connections_become(0));
  }
  EXPECT_EQ(counters().connections, 600U);
}

OriginSpec tls_spec(const system::TemporaryFolder& folder) {
  const auto pair = wire::make_self_signed_certificate();
  EXPECT_TRUE(pair);
  const auto system_files = system::real_files();
  OriginSpec spec;
  spec.tls_cert = (folder.path() / "cert.pem").string();
  spec.tls_key = (folder.path() / "key.pem").string();
  EXPECT_TRUE(system_files->write(spec.tls_cert, pair->cert_pem));
  EXPECT_TRUE(system_files->write(spec.tls_key, pair->key_pem));
  return spec;
}

TEST_F(OriginTest, ServesTlsWithEitherProtocol) {
  const system::TemporaryFolder folder;
  const OriginSpec spec = tls_spec(folder);
  serve(spec);
  for (const Protocol protocol : {Protocol::kHttp1, Protocol::kHttp2}) {
    wire::ClientTlsOptions options;
    options.ca_pem = *system::real_files()->read(spec.tls_cert);
    options.sni = "localhost";
    options.protocol = protocol;
    const auto context = wire::TlsContext::client(options);
    ASSERT_TRUE(context) << context.error().what;
    Client client(port_, protocol, *context);
    EXPECT_EQ(client.tls().alpn(), protocol == Protocol::kHttp2 ? "h2" : "http/1.1");
    EXPECT_EQ(client.ask("/bytes/4096").body_bytes, 4096U);
    EXPECT_EQ(client.ask("/bytes/5000000").body_bytes, 5'000'000U);
    EXPECT_EQ(client.ask("/echo", std::string(100'000, 'x')).body_bytes, 100'000U);
    EXPECT_EQ(client.ask("/close/10").body_bytes, 10U);
  }
  EXPECT_EQ(counters().handshakes, 2U);
  EXPECT_TRUE(open_connections_become(0));
  EXPECT_EQ(counters().protocol_errors, 0U);

  Peer clear_text(port_);
  clear_text.send("GET /bytes/1 HTTP/1.1\r\nhost: o\r\n\r\n");
  clear_text.receive_all();
  EXPECT_TRUE(open_connections_become(0));
  EXPECT_EQ(counters().protocol_errors, 1U);
}

TEST_F(OriginTest, RefusesHalfACertificate) {
  auto thread = LoopThread::start({});
  ASSERT_TRUE(thread);
  OriginSpec spec;
  spec.tls_cert = "cert.pem";
  (*thread)->call([&] {
    const auto origin = Origin::listen(&(*thread)->loop(), spec);
    ASSERT_FALSE(origin);
    EXPECT_EQ(origin.error().kind, ErrorKind::kUsage);
  });
}

TEST(OriginThreadsTest, ShareOnePort) {
  auto origin = OriginThreads::start({}, 3);
  ASSERT_TRUE(origin) << origin.error().what;
  const Address address{"127.0.0.1", (*origin)->port()};
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(system::net::http_exchange("GET", address, "/bytes/1", 10).status, 200);
  }
  EXPECT_EQ((*origin)->counters().requests, 20U);
  // Whichever of them is asked, and while others are too.
  for (int i = 0; i < 10; ++i) {
    const auto reply = system::net::http_exchange("GET", address, "/stats", 10);
    const auto stats = parse_json(reply.body, "/stats");
    ASSERT_TRUE(stats);
    EXPECT_EQ(stats->at("requests"), 21 + i);
  }
}

TEST(WaitUntilInterrupted, EndsWithItsInputAndNotWithWhatComesFromIt) {
  system::catch_interrupts();
  std::array<int, 2> ends{};
  ASSERT_EQ(0, ::pipe(ends.data()));
  const system::Descriptor input(ends[0]);
  system::Descriptor writer(ends[1]);
  ASSERT_EQ(2, ::write(writer.fd(), "x\n", 2));
  auto ended = std::async(std::launch::async, [&] { return wait_until_interrupted(input.fd()); });
  EXPECT_EQ(std::future_status::timeout, ended.wait_for(std::chrono::milliseconds(50)));
  writer.close();
  EXPECT_TRUE(ended.get());
  const system::Descriptor file(::open("/proc/self/exe", O_RDONLY | O_CLOEXEC));
  const Status refused = wait_until_interrupted(file.fd());
  ASSERT_FALSE(refused);
  EXPECT_EQ(ErrorKind::kUsage, refused.error().kind);
}

TEST(OriginThreadsTest, ResumeEachOthersTlsSessions) {
  const system::TemporaryFolder folder;
  const OriginSpec spec = tls_spec(folder);
  auto origin = OriginThreads::start(spec, 4);
  ASSERT_TRUE(origin) << origin.error().what;
  wire::ClientTlsOptions options;
  options.ca_pem = *system::real_files()->read(spec.tls_cert);
  options.sni = "localhost";
  const auto context = wire::TlsContext::client(options);
  ASSERT_TRUE(context) << context.error().what;
  for (int i = 0; i < 20; ++i) {  // dealt to the threads by port
    Client client((*origin)->port(), Protocol::kHttp1, *context);
    EXPECT_EQ(client.ask("/bytes/1").status, 200);
    EXPECT_EQ(client.tls().resumed(), i > 0) << i;
  }
}

TEST(OriginThreadsTest, RefusesNoThreads) {
  const auto origin = OriginThreads::start({}, 0);
  ASSERT_FALSE(origin);
  EXPECT_EQ(origin.error().kind, ErrorKind::kUsage);
}

TEST(OriginThreadsTest, NamesATakenPort) {
  const auto first = OriginThreads::start({}, 1);
  ASSERT_TRUE(first);
  const auto second = OriginThreads::start({{"127.0.0.1", (*first)->port()}, "", "", false}, 1);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().kind, ErrorKind::kPortTaken);
}

}  // namespace
}  // namespace hone::traffic::origin
