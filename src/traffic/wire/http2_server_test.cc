#include "traffic/wire/http2_server.h"

#include <gmock/gmock.h>

#include "traffic/wire/http2_client.h"
#include "traffic/wire/recorded_events.h"

namespace hone::traffic::wire {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

struct RawClient {
  RawClient() {
    Http2Callbacks callbacks;
    callbacks.on_header = [](nghttp2_session*, const nghttp2_frame* frame, const std::uint8_t* name,
                             std::size_t name_size, const std::uint8_t* value,
                             std::size_t value_size, std::uint8_t, void* self) {
      std::string line = std::to_string(frame->hd.stream_id) + " ";
      line.append(reinterpret_cast<const char*>(name), name_size).append("=");
      line.append(reinterpret_cast<const char*>(value), value_size);
      static_cast<RawClient*>(self)->seen.push_back(line);
      return 0;
    };
    callbacks.on_data_chunk = [](nghttp2_session*, std::uint8_t, std::int32_t,
                                 const std::uint8_t* data, std::size_t size, void* self) {
      static_cast<RawClient*>(self)->body.append(reinterpret_cast<const char*>(data), size);
      return 0;
    };
    callbacks.on_frame_recv = [](nghttp2_session*, const nghttp2_frame* frame, void* self) {
      if (frame->hd.type == NGHTTP2_GOAWAY) static_cast<RawClient*>(self)->seen.push_back("goaway");
      return 0;
    };
    session = make_http2_session(Http2Side::kClient, callbacks, this);
    nghttp2_submit_settings(session.get(), 0, nullptr, 0);
  }
  std::int32_t request(const std::vector<Header>& headers, const std::string& method = "GET",
                       bool end = true) {
    std::vector<Header> all{
        {":method", method}, {":scheme", "http"}, {":authority", "a"}, {":path", "/"}};
    all.insert(all.end(), headers.begin(), headers.end());
    std::vector<nghttp2_nv> fields;
    for (const Header& header : all) {
      fields.push_back(http2_field(header.name, header.value, Http2Text::kCopied));
    }
    return nghttp2_submit_headers(session.get(), end ? NGHTTP2_FLAG_END_STREAM : 0, -1, nullptr,
                                  fields.data(), fields.size(), nullptr);
  }
  Status turn(ServerSession& server) {
    while (true) {
      OutputBuffer out;
      EXPECT_EQ(pump_frames(session.get(), std::size_t{1} << 30, &out), 0);
      if (!out.empty()) HONE_CHECK(server.receive(out.view()));
      const std::string down = drain(server);
      nghttp2_session_mem_recv(session.get(), reinterpret_cast<const std::uint8_t*>(down.data()),
                               down.size());
      if (out.empty() && down.empty()) return {};
    }
  }
  Http2SessionPtr session;
  std::vector<std::string> seen;
  std::string body;
};

class Http2ServerTest : public testing::Test {
 protected:
  RecordedServer events;
  Http2Server server{&events, 100};
  RawClient client;
};

TEST_F(Http2ServerTest, SendsTextTrailersAndLengthAsAsked) {
  client.request({});
  ASSERT_TRUE(client.turn(server));
  Reply reply;
  reply.body = "text";
  reply.headers = {{"x", "y"}};
  reply.trailers = {{"grpc-status", "0"}};
  server.respond(1, reply);
  ASSERT_TRUE(client.turn(server));
  EXPECT_THAT(client.seen,
              ElementsAre("1 :status=200", "1 x=y", "1 content-length=4", "1 grpc-status=0"));
  EXPECT_EQ(client.body, "text");

  client.seen.clear();
  client.request({});
  ASSERT_TRUE(client.turn(server));
  reply = Reply();
  reply.framing = Framing::kChunked;
  reply.trailers = {{"t", "u"}};
  server.respond(3, reply);
  ASSERT_TRUE(client.turn(server));
  EXPECT_THAT(client.seen, ElementsAre("3 :status=200", "3 t=u"));
  EXPECT_FALSE(server.finished());
}

TEST_F(Http2ServerTest, EndsTheConnectionAfterAClosingAnswer) {
  client.request({});
  client.request({});
  ASSERT_TRUE(client.turn(server));
  Reply reply;
  reply.framing = Framing::kClose;
  reply.body_length = 3;
  server.respond(1, reply);
  ASSERT_TRUE(client.turn(server));
  EXPECT_EQ(client.body, "abc");
  EXPECT_EQ(client.seen.back(), "goaway");
  EXPECT_FALSE(server.finished());  // the other answer is owed
  EXPECT_TRUE(server.respond(3, Reply()));
  ASSERT_TRUE(client.turn(server));
  EXPECT_TRUE(server.finished());
}

TEST_F(Http2ServerTest, TellsWhichRequestsWereLost) {
  client.request({});
  client.request({});
  client.request({});
  ASSERT_TRUE(client.turn(server));
  server.respond(3, Reply());
  nghttp2_submit_rst_stream(client.session.get(), 0, 1, NGHTTP2_CANCEL);
  ASSERT_TRUE(client.turn(server));
  EXPECT_EQ(events.lines.back(), "lost 1");
  EXPECT_FALSE(server.respond(1, Reply()));  // too late: nothing happens
  server.end_of_input();
  EXPECT_THAT(events.lines, ElementsAre("GET / @a", "GET / @a", "GET / @a", "lost 1", "lost 5"));
  server.respond(5, Reply());
  EXPECT_TRUE(server.finished());
}

TEST_F(Http2ServerTest, LetsAClientContinue) {
  client.request({{"expect", "100-continue"}}, "POST", false);
  ASSERT_TRUE(client.turn(server));
  EXPECT_THAT(client.seen, ElementsAre("1 :status=100"));
  EXPECT_THAT(events.lines, ElementsAre());
}

TEST_F(Http2ServerTest, BoundsWhatHeadersExpandTo) {
  // A 2,900-byte value, then the same again from the table for a byte each.
  const std::vector<Header> bomb(100, Header{"x", std::string(2900, 'v')});
  client.request(bomb);
  const Status taken = client.turn(server);
  ASSERT_TRUE(taken) << taken.error().what;
  EXPECT_THAT(events.lines, ElementsAre());
  client.request({});
  ASSERT_TRUE(client.turn(server));
  EXPECT_THAT(events.lines, ElementsAre("GET / @a"));  // only that stream was reset
}

TEST_F(Http2ServerTest, AFloodOfPingsEndsTheConnection) {
  client.request({});
  ASSERT_TRUE(client.turn(server));
  const std::string ping(
      "\0\0\x8\6\0\0\0\0\0"
      "12345678",
      17);
  int taken = 0;
  Status status;
  while (taken < 20'000 && (status = server.receive(ping))) {
    drain(server);  // the peer reads: no acknowledgement waits
    ++taken;
  }
  ASSERT_FALSE(status);
  EXPECT_GE(taken, 9'000);
  EXPECT_LE(taken, 10'000);
  EXPECT_THAT(status.error().what, HasSubstr("10,000 frames without a message"));
  EXPECT_EQ(events.lines.back(), "lost 1");
}

TEST_F(Http2ServerTest, NamesAViolationAndStillSendsGoaway) {
  client.request({});
  ASSERT_TRUE(client.turn(server));
  const Status status = server.receive(std::string("\0\0\1\0\0\0\0\0\0x", 10));
  ASSERT_FALSE(status);
  EXPECT_THAT(status.error().what, HasSubstr("DATA: stream_id == 0"));
  EXPECT_EQ(events.lines.back(), "lost 1");
  EXPECT_FALSE(server.finished());
  ASSERT_TRUE(client.turn(server) || true);
  EXPECT_EQ(client.seen.back(), "goaway");
  EXPECT_TRUE(server.finished());
}

TEST(Http2Server, RefusesWhatIsNotHttp2) {
  RecordedServer events;
  Http2Server server(&events, 100);
  const Status status = server.receive("GET / HTTP/1.1\r\n\r\n");
  ASSERT_FALSE(status);
  EXPECT_FALSE(server.receive("more"));
}

}  // namespace
}  // namespace hone::traffic::wire
