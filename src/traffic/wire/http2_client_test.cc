// The client against a raw libnghttp2 server that the test scripts frame by frame.
#include "traffic/wire/http2_client.h"

#include <gmock/gmock.h>

#include "traffic/wire/recorded_events.h"

namespace hone::traffic::wire {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class RawServer {
 public:
  RawServer() {
    Http2Callbacks callbacks;
    callbacks.on_data_chunk = [](nghttp2_session*, std::uint8_t, std::int32_t, const std::uint8_t*,
                                 std::size_t size, void* self) {
      static_cast<RawServer*>(self)->body_bytes += size;
      return 0;
    };
    callbacks.on_frame_recv = [](nghttp2_session*, const nghttp2_frame* frame, void* self) {
      auto* server = static_cast<RawServer*>(self);
      if (frame->hd.type == NGHTTP2_HEADERS) server->streams.push_back(frame->hd.stream_id);
      if (frame->hd.type == NGHTTP2_GOAWAY) server->client_gave_up = true;
      if (frame->hd.type == NGHTTP2_SETTINGS && !(frame->hd.flags & NGHTTP2_FLAG_ACK)) {
        for (std::size_t i = 0; i < frame->settings.niv; ++i) {
          server->client_settings[frame->settings.iv[i].settings_id] = frame->settings.iv[i].value;
        }
      }
      return 0;
    };
    session = make_http2_session(Http2Side::kServer, callbacks, this);
  }
  void settings(std::initializer_list<nghttp2_settings_entry> entries) {
    nghttp2_submit_settings(session.get(), 0, entries.begin(), entries.size());
  }
  void headers(std::int32_t stream, const char* status, bool end) {
    const nghttp2_nv fields[] = {http2_field(":status", status, Http2Text::kCopied)};
    nghttp2_submit_headers(session.get(), end ? NGHTTP2_FLAG_END_STREAM : 0, stream, nullptr,
                           fields, 1, nullptr);
  }
  void reset(std::int32_t stream, std::uint32_t code) {
    nghttp2_submit_rst_stream(session.get(), 0, stream, code);
  }
  void goaway(std::int32_t last) {
    nghttp2_submit_goaway(session.get(), 0, last, NGHTTP2_NO_ERROR, nullptr, 0);
  }
  std::string output() {
    OutputBuffer out;
    EXPECT_EQ(pump_frames(session.get(), std::size_t{1} << 30, &out), 0);
    return std::string(out.view());
  }
  void receive(std::string_view bytes) {
    const auto taken = nghttp2_session_mem_recv(
        session.get(), reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
    EXPECT_EQ(taken, static_cast<ssize_t>(bytes.size()));
  }

  Http2SessionPtr session;
  std::vector<std::int32_t> streams;
  std::map<std::int32_t, std::uint32_t> client_settings;
  std::size_t body_bytes = 0;
  bool client_gave_up = false;
};

class Http2ClientTest : public testing::Test {
 protected:
  explicit Http2ClientTest(int streams = 200) : client(streams, &events) {}

  void submit(std::uint64_t from, std::uint64_t to) {
    for (std::uint64_t id = from; id <= to; ++id) client.submit(id, prepared);
  }
  // Until both are silent.
  Status turn() {
    while (true) {
      const std::string up = drain(client);
      if (!up.empty()) server.receive(up);
      const std::string down = server.output();
      if (!down.empty()) HONE_CHECK(client.receive(down));
      if (up.empty() && down.empty()) return {};
    }
  }
  static Request request(const std::string& body = "") {
    Request made;
    made.method = body.empty() ? "GET" : "POST";
    made.authority = "a.test";
    made.body = body;
    return made;
  }

  const Http2Request prepared{request()};
  RecordedClient events;
  RawServer server;
  Http2Client client;
};

TEST_F(Http2ClientTest, AnnouncesLargeWindowsAndNoPush) {
  server.settings({});
  ASSERT_TRUE(turn());
  EXPECT_EQ(server.client_settings[NGHTTP2_SETTINGS_ENABLE_PUSH], 0u);
  EXPECT_EQ(server.client_settings[NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS], 100u);
  EXPECT_EQ(server.client_settings[NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE], (1u << 30) - 1);
  EXPECT_EQ(nghttp2_session_get_remote_window_size(server.session.get()), (1 << 30) - 1);
}

TEST_F(Http2ClientTest, KeepsToThePeersLimitOfStreams) {
  EXPECT_FALSE(client.ready());
  EXPECT_EQ(client.free_slots(), 100);  // assumed before the peer's SETTINGS
  server.settings({});
  ASSERT_TRUE(turn());
  EXPECT_TRUE(client.ready());
  EXPECT_EQ(client.free_slots(), 200);  // the peer sets no limit: our own holds
  submit(1, 5);
  server.settings({{NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, 6}});
  ASSERT_TRUE(turn());
  EXPECT_EQ(client.free_slots(), 1);
  server.settings({{NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, 3}});
  ASSERT_TRUE(turn());
  EXPECT_EQ(client.free_slots(), 0);
  for (const std::int32_t stream : {1, 3, 5}) server.headers(stream, "200", true);
  ASSERT_TRUE(turn());
  EXPECT_EQ(client.open_requests(), 2);
  EXPECT_EQ(client.free_slots(), 1);
  EXPECT_FALSE(client.closing());
}

TEST_F(Http2ClientTest, CountsInformationalResponsesAndIgnoresTrailers) {
  server.settings({});
  submit(1, 1);
  ASSERT_TRUE(turn());
  server.headers(1, "103", false);
  server.headers(1, "100", false);
  ASSERT_TRUE(turn());
  server.headers(1, "200", false);
  ASSERT_TRUE(turn());
  EXPECT_THAT(events.lines, ElementsAre());
  const nghttp2_nv trailer = http2_field("grpc-status", "0", Http2Text::kCopied);
  nghttp2_submit_trailer(server.session.get(), 1, &trailer, 1);
  ASSERT_TRUE(turn());
  EXPECT_THAT(events.lines, ElementsAre("1: 200 with 0 after 2"));
}

TEST_F(Http2ClientTest, TellsWhatGoawayLeavesUnprocessed) {
  server.settings({});
  submit(1, 4);
  ASSERT_TRUE(turn());
  ASSERT_THAT(server.streams, ElementsAre(1, 3, 5, 7));
  server.goaway(3);
  ASSERT_TRUE(turn());
  EXPECT_THAT(events.lines, testing::UnorderedElementsAre("3: lost, unprocessed, goaway",
                                                          "4: lost, unprocessed, goaway"));
  EXPECT_EQ(client.failure(), Failure::kGoaway);
  EXPECT_TRUE(client.closing());
  EXPECT_EQ(client.free_slots(), 0);
  EXPECT_EQ(client.open_requests(), 2);
  server.headers(3, "200", true);
  ASSERT_TRUE(turn());
  EXPECT_EQ(events.lines.back(), "2: 200 with 0 after 0");
  client.end_of_input();
  EXPECT_EQ(events.lines.back(), "1: lost, connection, closed-before-answer");
  EXPECT_EQ(client.open_requests(), 0);
  EXPECT_EQ(client.output(), "");
}

TEST_F(Http2ClientTest, RequestsThatGoawayOvertookAreUnprocessed) {
  server.settings({});
  ASSERT_TRUE(turn());
  submit(1, 2);  // not fetched yet when GOAWAY comes
  server.goaway(0);
  ASSERT_TRUE(client.receive(server.output()));
  drain(client);
  client.end_of_input();
  EXPECT_THAT(events.lines, testing::UnorderedElementsAre("1: lost, unprocessed, goaway",
                                                          "2: lost, unprocessed, goaway"));
  EXPECT_EQ(client.failure(), Failure::kGoaway);
}

TEST_F(Http2ClientTest, TellsResetsApart) {
  server.settings({});
  submit(1, 4);
  ASSERT_TRUE(turn());
  server.reset(1, NGHTTP2_REFUSED_STREAM);
  server.reset(3, NGHTTP2_INTERNAL_ERROR);
  server.headers(5, "200", false);
  server.reset(5, NGHTTP2_NO_ERROR);  // a body cut short is no response
  server.headers(7, "200", true);
  ASSERT_TRUE(turn());
  EXPECT_THAT(events.lines, testing::UnorderedElementsAre("1: lost, unprocessed, refused-stream",
                                                          "2: lost, reset, stream-reset",
                                                          "3: lost, reset, stream-reset",
                                                          "4: 200 with 0 after 0"));
  EXPECT_FALSE(client.closing());
  EXPECT_EQ(client.free_slots(), 200);
}

TEST_F(Http2ClientTest, AnEndNamesWhereEachRequestWas) {
  server.settings({});
  ASSERT_TRUE(turn());
  submit(1, 3);
  ASSERT_TRUE(turn());
  server.headers(3, "103", false);
  server.headers(5, "200", false);
  ASSERT_TRUE(turn());
  client.end_of_input();
  EXPECT_THAT(events.lines,
              testing::UnorderedElementsAre("1: lost, connection, closed-before-answer",
                                            "2: lost, connection, closed-in-head",
                                            "3: lost, connection, closed-in-body"));
  EXPECT_EQ(client.failure(), Failure::kClosedInBody);
}

TEST_F(Http2ClientTest, AnEndWithNothingOpenIsOneWhileIdle) {
  server.settings({});
  ASSERT_TRUE(turn());
  EXPECT_EQ(client.failure(), Failure::kNone);
  client.end_of_input();
  EXPECT_EQ(client.failure(), Failure::kClosedWhileIdle);
}

TEST_F(Http2ClientTest, AResponseBeforeTheWholeBodyCountsOnceTheStreamEnds) {
  server.settings({{NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, 10}});
  ASSERT_TRUE(turn());
  const Http2Request upload(request(std::string(100, 'b')));
  client.submit(1, upload);
  ASSERT_TRUE(turn());
  server.headers(1, "413", true);
  ASSERT_TRUE(turn());
  server.reset(1, NGHTTP2_NO_ERROR);  // RFC 9113 8.1: no need of the rest
  ASSERT_TRUE(turn());
  EXPECT_THAT(events.lines, ElementsAre("1: 413 with 0 after 0"));
  EXPECT_FALSE(client.window_blocked());
}

TEST_F(Http2ClientTest, SaysWhenAWindowIsShut) {
  server.settings({{NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, 10}});
  ASSERT_TRUE(turn());
  EXPECT_FALSE(client.window_blocked());
  const Http2Request upload(request(std::string(100'000, 'b')));
  client.submit(1, upload);
  const std::string sent = drain(client);
  EXPECT_LT(sent.size(), 200u);
  EXPECT_TRUE(client.window_blocked());
  server.receive(sent);  // libnghttp2 opens the windows as it reads
  ASSERT_TRUE(turn());
  EXPECT_EQ(server.body_bytes, 100'000u);
  EXPECT_FALSE(client.window_blocked());
}

TEST_F(Http2ClientTest, ARequestThatWaitsForAStreamIsNotBlockedByAWindow) {
  const Http2Request upload(request("body"));
  client.submit(1, upload);
  client.submit(2, upload);
  server.settings({{NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, 1}});
  ASSERT_TRUE(client.receive(server.output()));
  drain(client);  // the first one alone
  EXPECT_FALSE(client.window_blocked());
}

TEST_F(Http2ClientTest, NamesAViolationAndLosesEverything) {
  server.settings({});
  submit(1, 2);
  ASSERT_TRUE(turn());
  const std::string data_for_stream_0("\0\0\1\0\0\0\0\0\0x", 10);
  const Status status = client.receive(data_for_stream_0);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().kind, ErrorKind::kNetwork);
  EXPECT_THAT(status.error().what, HasSubstr("PROTOCOL_ERROR: DATA: stream_id == 0"));
  EXPECT_THAT(events.lines, testing::UnorderedElementsAre("1: lost, connection, broken-protocol",
                                                          "2: lost, connection, broken-protocol"));
  EXPECT_TRUE(client.closing());
  server.receive(drain(client));
  EXPECT_TRUE(server.client_gave_up);
  EXPECT_FALSE(client.receive("x"));
  client.end_of_input();
  EXPECT_EQ(events.lines.size(), 2u);
}

std::string frame(std::uint8_t type, std::uint8_t flags, std::uint32_t stream,
                  std::string_view payload = {}) {
  std::string bytes;
  for (const int shift : {16, 8, 0}) bytes += static_cast<char>(payload.size() >> shift);
  bytes += static_cast<char>(type);
  bytes += static_cast<char>(flags);
  for (const int shift : {24, 16, 8, 0}) bytes += static_cast<char>(stream >> shift);
  return bytes.append(payload);
}

// A field that the peer's table does not keep; up to 16 KiB (RFC 7541 5.1 and 6.2.2).
std::string field(std::string_view name, std::string_view value) {
  std::string bytes("\0", 1);
  bytes += static_cast<char>(name.size());
  bytes.append(name);
  const std::size_t rest = value.size() - 127;
  bytes += '\x7f';
  bytes += static_cast<char>((rest & 127) | 128);
  bytes += static_cast<char>(rest >> 7);
  return bytes.append(value);
}

constexpr std::string_view kStatus200 = "\x88";  // RFC 7541, static table

TEST_F(Http2ClientTest, AHeaderListAboveTheLimitLosesItsStreamAlone) {
  server.settings({});
  submit(1, 2);
  ASSERT_TRUE(turn());
  const std::string piece = field("x", std::string(16000, 'v'));
  // 144 KB in the frames that libnghttp2 takes: below the limit. Then 300 KB in the few bytes that
  // HPACK makes of it. Together they show that each list has the limit for itself.
  std::string list = frame(NGHTTP2_HEADERS, 0, 1, std::string(kStatus200) + piece);
  for (int i = 0; i < 7; ++i) list += frame(NGHTTP2_CONTINUATION, 0, 1, piece);
  list += frame(NGHTTP2_CONTINUATION, NGHTTP2_FLAG_END_HEADERS, 1, piece);
  ASSERT_TRUE(client.receive(list));
  std::string indexed("\x40\1y\x7f", 4);  // kept: index 62; 3,000 bytes of value
  indexed += static_cast<char>(((3000 - 127) & 127) | 128);
  indexed += static_cast<char>((3000 - 127) >> 7);
  indexed += std::string(3000, 'w') + std::string(100, '\xbe');
  ASSERT_TRUE(client.receive(
      frame(NGHTTP2_HEADERS, NGHTTP2_FLAG_END_HEADERS, 3, std::string(kStatus200) + indexed)));
  server.receive(drain(client));
  EXPECT_THAT(events.lines, ElementsAre("2: lost, reset, head-too-large"));
  EXPECT_FALSE(client.closing());
  EXPECT_EQ(client.open_requests(), 1);
}

TEST_F(Http2ClientTest, EndlessContinuationsEndTheConnection) {
  server.settings({});
  submit(1, 1);
  ASSERT_TRUE(turn());
  Status status = client.receive(frame(NGHTTP2_HEADERS, 0, 1, kStatus200));
  int taken = 0;
  while (status && taken < 1000) {
    status = client.receive(frame(NGHTTP2_CONTINUATION, 0, 1));
    ++taken;
  }
  EXPECT_LE(taken, 65);
  EXPECT_THAT(events.lines, ElementsAre(testing::AnyOf("1: lost, connection, head-too-large",
                                                       "1: lost, connection, flood")));
}

TEST_F(Http2ClientTest, FloodsOfIdleFramesEndTheConnection) {
  const std::string ping = frame(NGHTTP2_PING, 0, 0, "12345678");
  const std::string empty_data = frame(NGHTTP2_DATA, 0, 1);
  for (const std::string& one : {ping, frame(NGHTTP2_SETTINGS, 0, 0), empty_data}) {
    SCOPED_TRACE(static_cast<int>(one[3]));
    RecordedClient told;
    Http2Client flooded(1, &told);
    RawServer peer;
    peer.settings({});
    flooded.submit(1, prepared);
    peer.receive(drain(flooded));
    ASSERT_TRUE(flooded.receive(peer.output()));
    peer.headers(1, "200", false);
    ASSERT_TRUE(flooded.receive(peer.output()));
    int taken = 0;
    while (taken < 20'000 && flooded.receive(one)) {
      drain(flooded);  // the peer reads: no acknowledgement waits
      ++taken;
    }
    EXPECT_GE(taken, 9'000);
    EXPECT_LE(taken, 10'000);
    EXPECT_THAT(told.lines, ElementsAre("1: lost, connection, flood"));
    EXPECT_EQ(flooded.failure(), Failure::kFlood);
  }
}

TEST_F(Http2ClientTest, HeadersForAStreamThatIsGoneAreIdleToo) {
  server.settings({});
  submit(1, 2);
  ASSERT_TRUE(turn());
  server.headers(1, "200", true);
  ASSERT_TRUE(turn());
  const std::string late = frame(NGHTTP2_HEADERS, NGHTTP2_FLAG_END_HEADERS, 1, kStatus200);
  int taken = 0;
  while (taken < 20'000 && client.receive(late)) {
    drain(client);
    ++taken;
  }
  EXPECT_GE(taken, 9'000);
  EXPECT_LE(taken, 10'000);
  EXPECT_EQ(events.lines.back(), "2: lost, connection, flood");
}

TEST_F(Http2ClientTest, DataOfAStreamThatIsOpenIsNoFlood) {
  server.settings({});
  submit(1, 1);
  ASSERT_TRUE(turn());
  server.headers(1, "200", false);
  ASSERT_TRUE(turn());
  for (int i = 0; i < 20'000; ++i) {
    ASSERT_TRUE(client.receive(frame(NGHTTP2_DATA, 0, 1, "x"))) << i;
    drain(client);
  }
}

TEST_F(Http2ClientTest, APeerThatPingsAndDoesNotReadIsBounded) {
  server.settings({});
  ASSERT_TRUE(turn());
  std::string pings;
  for (int i = 0; i < 100; ++i) pings += frame(NGHTTP2_PING, 0, 0, "12345678");
  std::size_t most = 0;
  int taken = 0;
  while (taken < 1000 && client.receive(pings)) {
    most = std::max(most, client.output().size());
    ++taken;
  }
  EXPECT_LT(taken, 1000);
  EXPECT_LT(most, std::size_t{2} << 20);
}

// A second request that waits for a stream keeps libnghttp2's queue filled: the bodies behind it
// were asked of requests that the flood had just ended.
TEST_F(Http2ClientTest, AFloodInOneReadAsksForNoBodyOfWhatItEnded) {
  const Http2Request upload(request("body"));
  client.submit(1, upload);
  client.submit(2, upload);
  server.settings({{NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, 1}});
  std::string bytes = server.output();
  for (int i = 0; i < 1500; ++i) bytes += frame(NGHTTP2_PING, 0, 0, "12345678");
  EXPECT_FALSE(client.receive(bytes));
  EXPECT_THAT(events.lines, testing::UnorderedElementsAre("1: lost, connection, flood",
                                                          "2: lost, connection, flood"));
  EXPECT_EQ(drain(client).find("body"), std::string::npos);
}

TEST_F(Http2ClientTest, BoundsInformationalResponses) {
  server.settings({});
  submit(1, 2);
  ASSERT_TRUE(turn());
  for (int i = 0; i <= kMaxInformational; ++i) server.headers(1, "103", false);
  ASSERT_TRUE(turn());
  EXPECT_THAT(events.lines, ElementsAre("1: lost, reset, informational-flood"));
  EXPECT_EQ(client.open_requests(), 1);
}

TEST_F(Http2ClientTest, AnAnswerThatContradictsItsLengthIsBrokenProtocol) {
  server.settings({});
  submit(1, 2);
  ASSERT_TRUE(turn());
  const std::string length_3(
      "\x88\x5c\1"
      "3",
      4);  // content-length, static table
  ASSERT_TRUE(client.receive(frame(NGHTTP2_HEADERS, NGHTTP2_FLAG_END_HEADERS, 1, length_3)));
  ASSERT_TRUE(client.receive(frame(NGHTTP2_DATA, NGHTTP2_FLAG_END_STREAM, 1, "ab")));
  const std::string twice(
      "\x88\x5c\1"
      "3\x5c\1"
      "4",
      7);
  ASSERT_TRUE(client.receive(frame(NGHTTP2_HEADERS, NGHTTP2_FLAG_END_HEADERS, 3, twice)));
  server.receive(drain(client));
  EXPECT_THAT(events.lines,
              ElementsAre("1: lost, reset, broken-protocol", "2: lost, reset, broken-protocol"));
  EXPECT_FALSE(client.closing());
}

TEST_F(Http2ClientTest, AWindowLoweredBelowWhatIsSentWaitsUntilItIsOpenAgain) {
  server.settings({{NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, 1000}});
  ASSERT_TRUE(turn());
  const Http2Request upload(request(std::string(5000, 'b')));
  client.submit(1, upload);
  const std::string sent = drain(client);
  EXPECT_TRUE(client.window_blocked());
  // -900 left: a window may become negative (RFC 9113 6.9.2).
  ASSERT_TRUE(client.receive(frame(NGHTTP2_SETTINGS, 0, 0, std::string("\0\4\0\0\0\x64", 6))));
  drain(client);
  EXPECT_TRUE(client.window_blocked());
  const auto update = [&](std::uint32_t stream, std::string_view by) {
    return client.receive(frame(NGHTTP2_WINDOW_UPDATE, 0, stream, by));
  };
  ASSERT_TRUE(update(1, std::string_view("\0\0\3\x84", 4)));  // 900: still nothing
  EXPECT_EQ(drain(client), "");
  EXPECT_TRUE(client.window_blocked());
  ASSERT_TRUE(update(1, std::string_view("\0\0\x10\0", 4)));  // 4096: all of it
  EXPECT_GT(drain(client).size(), 4000u);
  EXPECT_FALSE(client.window_blocked());
}

TEST_F(Http2ClientTest, RefusesAnHttp1Answer) {
  submit(1, 1);
  const Status status = client.receive("HTTP/1.1 400 Bad Request\r\n\r\n");
  ASSERT_FALSE(status);
  EXPECT_THAT(status.error().what, HasSubstr("the HTTP/2 peer broke the protocol"));
  EXPECT_THAT(events.lines, ElementsAre("1: lost, connection, broken-protocol"));
}

TEST_F(Http2ClientTest, DropsHeadersOfHttp1AndLowersNames) {
  Request made = request();
  made.headers = {{"Host", "x"}, {"Connection", "close"}, {"X-Mixed", "Value"}};
  const Http2Request encoded(made);
  std::string names;
  for (const nghttp2_nv& field : encoded.fields()) {
    names.append(reinterpret_cast<const char*>(field.name), field.namelen).append(" ");
  }
  EXPECT_EQ(names, ":method :scheme :authority :path x-mixed ");
}

class Http2GrpcClientTest : public Http2ClientTest {
 protected:
  class Events final : public ClientEvents {
   public:
    void on_response(std::uint64_t id, const ResponseSummary& response) override {
      lines.push_back(std::to_string(id) + ": " + std::to_string(response.status) + ", grpc " +
                      std::to_string(response.grpc_status) + (response.ok() ? ", ok" : ""));
    }
    void on_loss(std::uint64_t id, Loss, Failure failure) override {
      lines.push_back(std::to_string(id) + ": " + name(failure));
    }
    std::vector<std::string> lines;
  };
  void settle() {
    grpc_server.receive(drain(grpc));
    ASSERT_TRUE(grpc.receive(grpc_server.output()));
  }
  void data(std::uint32_t stream, std::string_view bytes, int flags = 0) {
    ASSERT_TRUE(grpc.receive(frame(NGHTTP2_DATA, static_cast<std::uint8_t>(flags), stream, bytes)));
  }
  void head(std::uint32_t stream, std::string_view block, int flags = 0) {
    ASSERT_TRUE(grpc.receive(frame(NGHTTP2_HEADERS,
                                   static_cast<std::uint8_t>(NGHTTP2_FLAG_END_HEADERS | flags),
                                   stream, block)));
  }
  // Literal, not kept: "grpc-status".
  static std::string status(std::string_view value) {
    std::string block("\0\x0bgrpc-status", 13);
    block += static_cast<char>(value.size());
    return block.append(value);
  }

  Events told;
  RawServer grpc_server;
  Http2Client grpc{10, &told, Http2Carries::kGrpc};
  const Http2Request call{grpc_request(request("message"))};
};

TEST_F(Http2GrpcClientTest, TheStatusIsThatOfTheTrailers) {
  grpc_server.settings({});
  for (std::uint64_t id = 1; id <= 9; ++id) grpc.submit(id, call);
  settle();
  const std::string message = grpc_message("answer");
  const int end = NGHTTP2_FLAG_END_STREAM;
  const std::string ok(kStatus200);
  head(1, ok);  // as it should be, in pieces
  data(1, message.substr(0, 3));
  data(1, message.substr(3));
  head(1, status("0"), end);
  head(3, ok);  // fails after a message
  data(3, message);
  head(3, status("14"), end);
  head(5, ok + status("5"), end);  // trailers-only
  head(7, ok + status("0"), end);  // went well without an answer
  head(9, ok);                     // no status at all
  data(9, message, end);
  head(11, ok);  // two answers to a unary call
  data(11, message + message);
  head(11, status("0"), end);
  head(13, ok);  // half of an answer
  data(13, message.substr(0, 7));
  head(13, status("0"), end);
  head(15, "\x8d", end);             // 404: no gRPC at all
  head(17, ok + status("99"), end);  // none that there is
  EXPECT_THAT(told.lines, ElementsAre("1: 200, grpc 0, ok", "2: 200, grpc 14", "3: 200, grpc 5",
                                      "4: broken-protocol", "5: 200, grpc 2", "6: broken-protocol",
                                      "7: broken-protocol", "8: 404, grpc 2", "9: 200, grpc 2"));
  EXPECT_EQ(grpc_server.body_bytes, 9 * grpc_message("message").size());
}

class Http2ClientWithFewStreams : public Http2ClientTest {
 protected:
  Http2ClientWithFewStreams() : Http2ClientTest(2) {}
};

TEST_F(Http2ClientWithFewStreams, KeepsToItsOwnLimit) {
  server.settings({});
  submit(1, 2);
  ASSERT_TRUE(turn());
  EXPECT_EQ(client.free_slots(), 0);
  server.headers(1, "200", true);
  ASSERT_TRUE(turn());
  EXPECT_EQ(client.free_slots(), 1);
}

}  // namespace
}  // namespace hone::traffic::wire
