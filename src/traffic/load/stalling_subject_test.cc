// A subject that stands still for 200 ms again and again: every request that was due meanwhile must
// show the time that it waited, whatever the protocol, and none may be left out.
#include <gtest/gtest.h>

#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <thread>

#include "traffic/load/load_session.h"
#include "traffic/origin/origin.h"
#include "traffic/wire/http3.h"

namespace hone::traffic::load {
namespace {

using system::net::LoopThread;
using wire::Protocol;

constexpr auto kStall = std::chrono::milliseconds(200);
constexpr double kRate = 500;
constexpr double kDuration = 1.5;

class StallingSubjectTest : public testing::TestWithParam<Protocol> {
 protected:
  void TearDown() override {
    std::filesystem::remove(file_ + ".cert");
    std::filesystem::remove(file_ + ".key");
  }
  void serve_http3(origin::OriginSpec* spec) const {
    const auto pair = *wire::make_self_signed_certificate();
    spec->tls_cert = file_ + ".cert";
    spec->tls_key = file_ + ".key";
    std::ofstream(spec->tls_cert) << pair.cert_pem;
    std::ofstream(spec->tls_key) << pair.key_pem;
    spec->http3 = true;
  }

 private:
  const std::string file_ = testing::TempDir() + "hone-stall-" + std::to_string(::getpid());
};

TEST_P(StallingSubjectTest, ShowsAtFullSizeAndNoRequestVanishes) {
  const bool http3 = GetParam() == Protocol::kHttp3;
  if (http3 && !wire::http3_is_built()) GTEST_SKIP() << "built without HTTP/3";
  origin::OriginSpec origin_spec;
  if (http3) serve_http3(&origin_spec);
  const auto subject = *LoopThread::start({});
  const auto generator = *LoopThread::start({});
  std::unique_ptr<origin::Origin> server;
  subject->call([&] { server = *origin::Origin::listen(&subject->loop(), origin_spec); });

  auto session = make_in_process(generator.get());
  PoolSpec spec;
  spec.target.protocol = GetParam();
  spec.target.tls = http3;
  spec.target.verify = false;
  spec.target.address = {"127.0.0.1", server->port()};
  spec.requests[0].request.authority = "localhost";
  spec.requests[0].request.path = "/bytes/100";
  spec.connections = 8;
  const auto pool = session->connect(spec);
  ASSERT_TRUE(pool) << describe(pool.error());

  std::atomic<int> stalls{0};
  std::thread stalling([&] {
    for (const int wait_ms : {100, 600}) {
      std::this_thread::sleep_for(std::chrono::milliseconds(wait_ms));
      subject->call([&] {
        std::this_thread::sleep_for(kStall);
        ++stalls;
      });
    }
  });
  SliceSpec slice;
  slice.rate = kRate;
  slice.duration_s = kDuration;
  slice.arrivals.kind = Arrivals::Kind::kEven;
  const auto result = session->slice(*pool, slice);
  stalling.join();
  ASSERT_TRUE(result) << describe(result.error());
  ASSERT_EQ(stalls, 2);

  EXPECT_EQ(result->scheduled, static_cast<std::uint64_t>(kRate * kDuration));
  EXPECT_EQ(result->ok + result->missed, result->scheduled);
  EXPECT_EQ(result->latency.count(), result->ok);
  // Of the requests due in a stall, those of its first half waited for more than the second: 50 at
  // each of the two stalls. A generator that waited for its answers would have eight.
  const double long_waits = 80 - static_cast<double>(result->missed);
  const double below = 1 - long_waits / static_cast<double>(result->ok);
  EXPECT_GE(result->latency.quantile_ns(below), 100'000'000);
  EXPECT_GE(result->latency.max_ns(), 190'000'000);
  // Streams are free all the while: what waits is with the subject.
  if (GetParam() != Protocol::kHttp1) {
    EXPECT_EQ(result->blocked, 0U);
  }

  session.reset();
  subject->call([&] { server.reset(); });
}

INSTANTIATE_TEST_SUITE_P(Protocols, StallingSubjectTest,
                         testing::Values(Protocol::kHttp1, Protocol::kHttp2, Protocol::kHttp3),
                         [](const auto& one) { return wire::name(one.param); });

}  // namespace
}  // namespace hone::traffic::load
