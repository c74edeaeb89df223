// Both ends of the load's control, each against a peer that the test plays by hand. The session as
// a whole is tried by LoadSessionTest, over this way too.
#include "traffic/load/remote_session.h"

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <atomic>
#include <future>
#include <optional>
#include <thread>

#include "system/descriptor.h"
#include "system/line_channel.h"
#include "system/waiting.h"
#include "traffic/load/control_messages.h"
#include "traffic/load/control_server.h"

namespace hone::traffic::load {
namespace {

// Of every wait; a test that meets it has failed.
constexpr auto kWaitLimit = std::chrono::seconds(10);

struct Ends {
  Ends() {
    int both[2] = {-1, -1};
    EXPECT_EQ(0, ::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, both));
    near = system::Descriptor(both[0]);
    far = system::Descriptor(both[1]);
  }
  system::Descriptor near, far;
};

PoolSpec example_pool() {
  PoolSpec pool;
  pool.target.address = {"127.0.0.1", 80};
  pool.target.other_addresses = {{"::1", 81}};
  pool.target.protocol = wire::Protocol::kHttp2;
  pool.target.tls = true;
  pool.target.sni = "a.test";
  pool.target.ca_pem = "-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----\n";
  wire::Request request;
  request.method = "POST";
  request.path = "/\xc3\xa4";
  request.headers = {{"a", "b"}, {"a", "c"}};
  request.body = std::string("\0\xff\n\"x", 5);
  pool.requests = {{request, 2.5, "upload"}, {{}, 1, ""}};
  pool.requests_per_connection = 3;
  pool.connection_lifetime_s = 1.5;
  pool.resume = 0.25;
  pool.churn_seed = 18'446'744'073'709'551'615U;
  return pool;
}

TEST(ControlMessagesTest, SpecsComeBackAsTheyWere) {
  ControlRequest connect;
  connect.id = 7;
  connect.verb = ControlRequest::Verb::kConnect;
  connect.pool_spec = example_pool();
  const auto text = control_text(connect);
  ASSERT_TRUE(text);
  EXPECT_EQ(std::string::npos, text->find('\n'));
  const auto read = parse_control_request(*text);
  ASSERT_TRUE(read) << describe(read.error());
  EXPECT_EQ(*text, *control_text(*read));
  const PoolSpec& pool = read->pool_spec;
  EXPECT_EQ(connect.pool_spec.requests[0].request.body, pool.requests[0].request.body);
  EXPECT_EQ(connect.pool_spec.requests[0].request.headers, pool.requests[0].request.headers);
  EXPECT_EQ(wire::Protocol::kHttp2, pool.target.protocol);
  EXPECT_EQ("::1", pool.target.other_addresses.at(0).host);
  EXPECT_EQ(connect.pool_spec.target.ca_pem, pool.target.ca_pem);
  EXPECT_EQ(connect.pool_spec.churn_seed, pool.churn_seed);

  ControlRequest slice;
  slice.verb = ControlRequest::Verb::kSlice;
  slice.pool = 3;
  set_phases(&slice.slice, *parse_ramp("10:100", 3, 2));
  slice.slice.arrivals = *parse_arrivals("burst:4");
  slice.slice.spin = true;
  const auto slice_read = parse_control_request(*control_text(slice));
  ASSERT_TRUE(slice_read);
  EXPECT_EQ(2U, slice_read->slice.phases.size());
  EXPECT_DOUBLE_EQ(slice.slice.rate, slice_read->slice.rate);
  EXPECT_EQ("burst:4", to_string(slice_read->slice.arrivals));
  EXPECT_TRUE(slice_read->slice.spin);
}

TEST(ControlMessagesTest, WhatIsNoMessageIsRefusedByName) {
  for (const char* line :
       {"", "{", "[]", "1", R"({"id":1})", R"({"id":1,"do":"dance"})", R"({"id":-1,"do":"cut"})",
        R"({"id":1.5,"do":"cut"})", R"({"id":1,"do":"close","pool":"x"})",
        R"({"id":1,"do":"close","pool":99999999999})", R"({"id":1,"do":"spread","pool":1})",
        R"({"id":1,"do":"connect","pool":{}})",
        R"({"id":1,"do":"connect","pool":{"target":{"address":{"host":"a","port":70000}}}})",
        R"({"id":1,"do":"slice","pool":1,"slice":{"arrivals":"never"}})",
        R"({"id":1,"do":"slice","pool":1,"slice":{"rate":"x"}})"}) {
    const auto request = parse_control_request(line);
    ASSERT_FALSE(request) << line;
    EXPECT_EQ(ErrorKind::kUsage, request.error().kind);
    EXPECT_TRUE(request.error().what.starts_with("not a message")) << request.error().what;
  }
  EXPECT_FALSE(parse_control_answer(R"({"id":1,"result":{"latency":{"max_ns":1}}})"));
  EXPECT_FALSE(parse_control_answer(
      R"({"id":1,"result":{"latency":{"max_ns":1,"sum_ns":1,"buckets":[99999999,1]}}})"));
  EXPECT_FALSE(check_control_greeting(R"({"hone_load_control":1})"));
  EXPECT_FALSE(check_control_greeting("bash: hone: command not found"));
}

TEST(ControlMessagesTest, ATextThatJsonCannotHoldIsAnErrorAndNotChanged) {
  ControlRequest connect;
  connect.verb = ControlRequest::Verb::kConnect;
  connect.pool_spec.requests[0].request.path = "/\xff";
  EXPECT_EQ(ErrorKind::kUsage, control_text(connect).error().kind);
}

// The far side, by hand.
class ByHand {
 public:
  explicit ByHand(int fd) : channel(fd, fd, 1 << 20) {}
  std::uint64_t take() {
    const auto line = channel.read(kWaitLimit);
    if (!line || !*line) return 0;
    last = Json::parse(**line);
    return last.at("id").get<std::uint64_t>();
  }
  void say(const std::string& line) { EXPECT_TRUE(channel.write(line, kWaitLimit)); }
  system::LineChannel channel;
  Json last;
};

TEST(RemoteSessionTest, AFarSideThatIsNoneIsAnError) {
  Ends ends;
  ByHand far(ends.far.fd());
  far.say("Welcome to a shell");
  const auto session = make_remote(ends.near.fd(), ends.near.fd());
  ASSERT_FALSE(session);
  EXPECT_EQ(ErrorKind::kUsage, session.error().kind);
  EXPECT_NE(std::string::npos, session.error().what.find("'Welcome to a shell'"));
  const auto silent = make_remote(ends.near.fd(), ends.near.fd(), 0.01);
  ASSERT_FALSE(silent);
  EXPECT_EQ(ErrorKind::kFarHost, silent.error().kind);
}

TEST(RemoteSessionTest, ASliceThatIsNotAnsweredEndsAtItsLimitAndSaysWhatItWaitedFor) {
  Ends ends;
  ByHand far(ends.far.fd());
  far.say(control_greeting());
  const auto session = *make_remote(ends.near.fd(), ends.near.fd(), 10, 0.02);
  SliceSpec slice;
  slice.duration_s = slice.drain_limit_s = 0.01;
  const auto result = session->slice(1, slice);
  ASSERT_FALSE(result);
  EXPECT_EQ(ErrorKind::kFarHost, result.error().kind);
  EXPECT_NE(std::string::npos, result.error().doing.find("the result of a slice"))
      << describe(result.error());
  // The far side was told to stop, and its late answer is not taken for another's.
  EXPECT_EQ(1U, far.take());
  far.take();
  EXPECT_EQ("cut", far.last.at("do"));
  far.say(R"({"id":1,"result":{}})");
  auto state = std::async(std::launch::async, [&] { return session->spread(1, {}); });
  EXPECT_EQ(2U, far.take());
  far.say(R"({"id":2,"state":{"connections":5}})");
  const auto got = state.get();
  if (got) {  // 20 ms may be too short on a machine that is busy otherwise
    EXPECT_EQ(5, got->connections);
  }
}

TEST(RemoteSessionTest, AFarSideThatEndsOrAnswersWronglyIsNamed) {
  Ends ends;
  {
    ByHand far(ends.far.fd());
    far.say(control_greeting());
    const auto session = *make_remote(ends.near.fd(), ends.near.fd());
    far.say(R"({"id":1,"error":{"kind":5,"what":"too few ports","next":"use fewer"}})");
    const auto refused = session->connect(example_pool());
    ASSERT_FALSE(refused);
    EXPECT_EQ(ErrorKind::kMachineUnfit, refused.error().kind);
    EXPECT_EQ("use fewer", refused.error().next);
    far.say(R"({"id":2})");
    EXPECT_EQ(ErrorKind::kFarHost, session->connect(example_pool()).error().kind);
    far.say("no JSON");
    EXPECT_EQ(ErrorKind::kUsage, session->connect(example_pool()).error().kind);
    far.say(R"({"id":4,"result":{"scheduled":5}})");
    const auto wrong = session->slice(1, {});  // its counts do not add up
    ASSERT_FALSE(wrong);
    EXPECT_EQ(ErrorKind::kInternal, wrong.error().kind);
    ends.far.close();
    const auto gone = session->spread(1, {});
    ASSERT_FALSE(gone);
    EXPECT_EQ(ErrorKind::kFarHost, gone.error().kind);
  }
}

// Waits in slice() until it is cut.
class PatientSession final : public LoadSession {
 public:
  Result<PoolId> connect(const PoolSpec&) override { return 1; }
  Result<SliceResult> slice(PoolId, const SliceSpec&) override {
    in_slice = true;
    EXPECT_TRUE(system::eventually([this] { return was_cut.load(); }));
    return SliceResult();
  }
  Result<PoolState> spread(PoolId, const std::vector<int>&) override { return PoolState(); }
  void close(PoolId) override {}
  void cut() override { was_cut = true; }
  std::atomic<bool> in_slice{false}, was_cut{false};
};

TEST(ControlServerTest, BadLinesAreAnsweredAndTheSessionGoesOn) {
  Ends ends;
  PatientSession session;
  auto served = std::async(std::launch::async, [&] {
    system::LineChannel channel(ends.far.fd(), ends.far.fd(), 1000);
    return serve_control(&session, &channel);
  });
  ByHand near(ends.near.fd());
  const auto greeting = near.channel.read(kWaitLimit);
  ASSERT_TRUE(greeting && *greeting);
  EXPECT_TRUE(check_control_greeting(**greeting));
  near.say("what?");
  EXPECT_EQ(0U, near.take());
  EXPECT_EQ(exit_code(ErrorKind::kUsage), near.last.at("error").at("kind").get<int>());
  near.say(R"({"id":9,"do":"spread","pool":1,"redial":[]})");
  EXPECT_EQ(9U, near.take());
  EXPECT_TRUE(near.last.contains("state"));
  near.say(std::string(2000, 'x'));
  ends.near.close();
  const Status status = served.get();
  ASSERT_FALSE(status);
  EXPECT_NE(std::string::npos, status.error().what.find("more than 1000 bytes"));
}

TEST(ControlServerTest, ACutReachesARunningSlice) {
  Ends ends;
  PatientSession session;
  auto served = std::async(std::launch::async, [&] {
    system::LineChannel channel(ends.far.fd(), ends.far.fd(), 1000);
    return serve_control(&session, &channel);
  });
  ByHand near(ends.near.fd());
  (void)near.channel.read(kWaitLimit);
  near.say(R"({"id":1,"do":"slice","pool":1,"slice":{}})");
  EXPECT_TRUE(system::eventually([&] { return session.in_slice.load(); }));
  near.say(R"({"id":2,"do":"cut"})");
  EXPECT_EQ(1U, near.take());
  ends.near.close();
  EXPECT_TRUE(served.get());
}

TEST(ControlServerTest, TheNearSidesEndIsSeenWhileASliceRuns) {
  Ends ends;
  PatientSession session;
  std::atomic<bool> told{false};
  auto served = std::async(std::launch::async, [&] {
    system::LineChannel channel(ends.far.fd(), ends.far.fd(), 1000);
    return serve_control(&session, &channel, [&] { told = true; });
  });
  ByHand near(ends.near.fd());
  (void)near.channel.read(kWaitLimit);
  near.say(R"({"id":1,"do":"slice","pool":1,"slice":{}})");
  EXPECT_TRUE(system::eventually([&] { return session.in_slice.load(); }));
  ends.near.close();
  (void)served.get();  // its answer finds nobody
  EXPECT_TRUE(told);
  EXPECT_TRUE(session.was_cut);
}

}  // namespace
}  // namespace hone::traffic::load
