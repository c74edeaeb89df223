// Programs of a far host, played by scripts on this one: `env` is the way there.
#include <gmock/gmock.h>

#include "subject/far_load.h"
#include "subject/upstream.h"
#include "system/temporary_folder.h"
#include "traffic/load/control_messages.h"

namespace hone::subject {
namespace {

using testing::HasSubstr;

class FarHostTest : public testing::Test {
 protected:
  // A host whose hone is this script.
  FarHost host(const std::string& script) {
    const system::Path program = folder_ / "hone";
    EXPECT_TRUE(system_.files->write(program, "#!/bin/sh\n" + script + "\n"));
    EXPECT_TRUE(system_.files->set_mode(program, 0755));
    return {{"env", "A=b"}, program.string()};
  }
  Result<std::unique_ptr<traffic::load::LoadSession>> load(const FarHost& host) {
    Hosts hosts;
    hosts.load = host;
    return start_far_load(hosts, {}, log_, system_);
  }
  Error why_no_load(const FarHost& host) {
    const auto load = this->load(host);
    EXPECT_FALSE(load);
    return load ? Error{} : load.error();
  }
  Result<std::unique_ptr<Upstream>> upstream(const std::string& script) {
    Hosts hosts;
    hosts.origin = host(script);
    return start_far_upstream(hosts, {}, log_, system_);
  }

  system::TemporaryFolder folder_;
  system::System system_ = system::real_system();
  const system::Path log_ = folder_ / "far.log";
};

TEST_F(FarHostTest, ALoadThatNeverCameUpSaysWhyInTheWordsOfTheWayThere) {
  const Error refused = why_no_load(host("echo 'Permission denied (publickey).' >&2; exit 255"));
  EXPECT_EQ(refused.kind, ErrorKind::kFarHost);
  EXPECT_THAT(refused.what,
              HasSubstr("load --control --threads 1` ended: exit status 255 (Permission denied"));
  EXPECT_THAT(refused.doing, HasSubstr("starting the load on another host"));
  EXPECT_EQ(refused.log_file, log_.string());
  const Error missing = why_no_load(host("echo 'sh: hone: not found' >&2; exit 127"));
  EXPECT_EQ(missing.kind, ErrorKind::kToolMissing);
  EXPECT_THAT(missing.next, HasSubstr("install hone on that host"));
  EXPECT_EQ(why_no_load({{"no-such-way"}, "hone"}).kind, ErrorKind::kToolMissing);
  const Error other = why_no_load(host("echo Welcome; cat >/dev/null"));
  EXPECT_EQ(other.kind, ErrorKind::kUsage);
  EXPECT_THAT(other.what, HasSubstr("'Welcome'"));
}

TEST_F(FarHostTest, ALoadThatIsLostIsLostForGood) {
  const auto lost =
      load(host("echo '" + traffic::load::control_greeting() + "'; read -r line; exit 3"));
  ASSERT_TRUE(lost) << describe(lost.error());
  const auto pool = (*lost)->connect({});
  ASSERT_FALSE(pool);
  EXPECT_EQ(pool.error().kind, ErrorKind::kFarHost);
  EXPECT_THAT(pool.error().what, HasSubstr("ended: exit status 3"));
  (*lost)->close(1);
  const auto slice = (*lost)->slice(1, {});
  ASSERT_FALSE(slice);
  EXPECT_EQ(slice.error().kind, ErrorKind::kFarHost);
}

TEST_F(FarHostTest, AnOriginIsCountedWithoutTheQuestions) {
  const auto thread = *system::net::LoopThread::start({});
  const auto near = start_upstream(thread.get());
  ASSERT_TRUE(near) << describe(near.error());
  const system::net::Address address = (*near)->address();
  const auto far =
      upstream("echo listening on http://" + to_string(address) + "; exec cat >/dev/null");
  ASSERT_TRUE(far) << describe(far.error());
  EXPECT_EQ((*far)->address().port, address.port);
  EXPECT_EQ((*far)->requests().value_or(99), 0U);
  EXPECT_EQ(system::net::http_exchange("GET", address, "/bytes/1", 10).status, 200);
  EXPECT_EQ((*far)->requests().value_or(99), 1U);
  EXPECT_EQ((*far)->requests().value_or(99), 1U);
  EXPECT_EQ((*near)->requests().value_or(0), 5U);  // four of them questions
}

TEST_F(FarHostTest, AnOriginThatIsNoneIsAnErrorOfThatHost) {
  const auto silent = upstream("echo 'cannot bind' >&2; exit 16");
  ASSERT_FALSE(silent);
  EXPECT_EQ(silent.error().kind, ErrorKind::kFarHost);
  EXPECT_THAT(silent.error().what, HasSubstr("exit status 16 (cannot bind)"));
  const auto unreachable = upstream("echo listening on http://127.0.0.1:1; exec cat >/dev/null");
  ASSERT_FALSE(unreachable);
  EXPECT_EQ(unreachable.error().kind, ErrorKind::kFarHost);
  EXPECT_THAT(unreachable.error().what, HasSubstr("127.0.0.1:1 does not tell its counters"));
}

TEST(PortInGreeting, IsThatOfTheOriginsFirstLine) {
  EXPECT_EQ(port_in_greeting("listening on http://10.0.0.3:8080").value_or(0), 8080);
  EXPECT_EQ(port_in_greeting("listening on http://[fd00::3]:81").value_or(0), 81);
  for (const char* line :
       {"", "Welcome", "listening on", "listening on http://a:0", "listening on http://a:70000"}) {
    EXPECT_FALSE(port_in_greeting(line)) << line;
  }
}

TEST(RequestsInStats, IsTheCountOrAnError) {
  EXPECT_EQ(requests_in_stats(R"({"requests": 7, "responses": 6})").value_or(0), 7U);
  for (const char* text : {"", "{", "7", "[]", "{}", R"({"requests": -1})", R"({"requests": "7"})",
                           R"({"requests": 1.5})", R"({"requests": null})"}) {
    EXPECT_FALSE(requests_in_stats(text)) << text;
  }
}

}  // namespace
}  // namespace hone::subject
