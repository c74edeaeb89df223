#include "traffic/wire/http1_client.h"

#include <gmock/gmock.h>

#include "traffic/wire/recorded_events.h"

namespace hone::traffic::wire {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Request get(const std::string& method = "GET") {
  Request request;
  request.method = method;
  request.authority = "a.test";
  return request;
}

struct Case {
  const char* name;
  std::string input;
  std::string expected;  // what outcome_of() says
  const char* method = "GET";
  bool ended = false;  // the peer ends its stream after the input
};

// Everything visible of one request answered by the pieces.
std::string outcome_of(const Case& test, const std::vector<std::string_view>& pieces) {
  RecordedClient events;
  Http1Client client(&events);
  const Http1Request request(get(test.method));
  client.submit(7, request);
  drain(client);
  std::string outcome;
  for (const auto piece : pieces) {
    const Status status = client.receive(piece);
    if (status) continue;
    EXPECT_EQ(status.error().kind, ErrorKind::kNetwork);
    const std::string& what = status.error().what;
    outcome = "!" + what.substr(what.find(": ") + 2);
    break;
  }
  if (test.ended) client.end_of_input();
  std::string told;
  for (const auto& line : events.lines) told += line + "; ";
  told += outcome;
  if (client.closing()) told += " closing";
  EXPECT_EQ(client.open_requests(), events.lines.empty() ? 1 : 0);
  EXPECT_EQ(client.free_slots(), client.closing() || events.lines.empty() ? 0 : 1);
  return told;
}

std::vector<std::string_view> bytes_of(std::string_view text) {
  std::vector<std::string_view> bytes;
  for (std::size_t i = 0; i < text.size(); ++i) bytes.push_back(text.substr(i, 1));
  return bytes;
}

const std::string kOk = "HTTP/1.1 200 OK\r\n";
const std::string kSized = kOk + "Content-Length: 3\r\n\r\nabc";

std::vector<Case> cases() {
  const std::string chunked = kOk + "Transfer-Encoding: chunked\r\n\r\n";
  return {
      {"length", kSized, "7: 200 with 3 after 0; "},
      {"no reason", "HTTP/1.1 200\r\ncontent-length:0\r\n\r\n", "7: 200 with 0 after 0; "},
      {"bare line feeds", "HTTP/1.1 204 x\nA: b\n\n", "7: 204 with 0 after 0; "},
      {"empty lines first", "\r\n\r\n" + kSized, "7: 200 with 3 after 0; "},
      {"empty line after", kSized + "\r\n", "7: 200 with 3 after 0; "},
      {"names in any case", kOk + "CONTENT-LENGTH: 1\r\n\r\nx", "7: 200 with 1 after 0; "},
      {"informational", "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 E\r\nLink: x\r\n\r\n" + kSized,
       "7: 200 with 3 after 2; "},
      {"head", kOk + "Content-Length: 99\r\n\r\n", "7: 200 with 0 after 0; ", "HEAD"},
      {"head chunked", chunked, "7: 200 with 0 after 0; ", "HEAD"},
      {"204 with length", "HTTP/1.1 204 No\r\nContent-Length: 5\r\n\r\n",
       "7: 204 with 0 after 0; "},
      {"304 with length", "HTTP/1.1 304 No\r\nContent-Length: 5\r\n\r\n",
       "7: 304 with 0 after 0; "},
      {"chunks", chunked + "3\r\nabc\r\nA;x=y\r\n0123456789\r\n0\r\n\r\n",
       "7: 200 with 13 after 0; "},
      {"padded chunk size", chunked + "0003  \r\nabc\r\n000\r\n\r\n", "7: 200 with 3 after 0; "},
      {"trailers", chunked + "1\r\nx\r\n0\r\ngrpc-status: 0\r\nb: c\r\n\r\n",
       "7: 200 with 1 after 0; "},
      {"close says so", kOk + "Connection: close\r\nContent-Length: 0\r\n\r\n",
       "7: 200 with 0 after 0;  closing"},
      {"close in a list", kOk + "Connection: x , Close\r\nContent-Length: 0\r\n\r\n",
       "7: 200 with 0 after 0;  closing"},
      {"until close", kOk + "\r\nabcdef", "7: 200 with 6 after 0;  closing", "GET", true},
      {"until close, gzip coding", kOk + "transfer-encoding: gzip\r\n\r\nabc",
       "7: 200 with 3 after 0;  closing", "GET", true},
      {"gzip then chunked", kOk + "transfer-encoding: gzip, chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n",
       "7: 200 with 1 after 0; "},
      {"1.0 closes", "HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n",
       "7: 200 with 0 after 0;  closing"},
      {"1.0 keeps alive", "HTTP/1.0 200 OK\r\nConnection: Keep-Alive\r\nContent-Length: 0\r\n\r\n",
       "7: 200 with 0 after 0; "},
      {"1.0 chunked closes",
       "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
       "7: 200 with 0 after 0;  closing"},
      {"equal lengths", kOk + "Content-Length: 3\r\nContent-Length: 3, 3\r\n\r\nabc",
       "7: 200 with 3 after 0; "},
      {"folded value", kOk + "X: a\r\n  b\r\nContent-Length: 0\r\n\r\n", "7: 200 with 0 after 0; "},
      {"nothing yet", "HTTP/1.1 20", ""},
      {"body cut", kOk + "Content-Length: 9\r\n\r\nabc",
       "7: lost, connection, closed-in-body;  closing", "GET", true},
      {"head cut", "HTTP/1.1 200 OK\r\nA:", "7: lost, connection, closed-in-head;  closing", "GET",
       true},
      {"status line cut", "H", "7: lost, connection, closed-in-head;  closing", "GET", true},
      {"cut after a 1xx", "HTTP/1.1 100 Continue\r\n\r\n",
       "7: lost, connection, closed-in-head;  closing", "GET", true},
      {"chunks cut", chunked + "3\r\nabc\r\n", "7: lost, connection, closed-in-body;  closing",
       "GET", true},
      {"trailers cut", chunked + "0\r\na: b\r\n", "7: lost, connection, closed-in-body;  closing",
       "GET", true},
      {"ended without a byte", "", "7: lost, connection, closed-before-answer;  closing", "GET",
       true},

      {"leftover", kSized + "H", "7: 200 with 3 after 0; !bytes that no request asked for closing"},
      {"leftover response", kSized + kSized,
       "7: 200 with 3 after 0; !bytes that no request asked for closing"},
  };
}

std::vector<Case> violations() {
  const std::string chunked = kOk + "Transfer-Encoding: chunked\r\n\r\n";
  return {
      {"not http", "ICY 200 OK\r\n\r\n", "a status line that is not HTTP/1"},
      {"http 2", "HTTP/2.0 200 OK\r\n\r\n", "a status line that is not HTTP/1"},
      {"http 1.x", "HTTP/1.x 200 OK\r\n\r\n", "a status line that is not HTTP/1"},
      {"short status", "HTTP/1.1 20 OK\r\n\r\n", "a status that is not three digits"},
      {"long status", "HTTP/1.1 2000 OK\r\n\r\n", "a status that is not three digits"},
      {"status below 100", "HTTP/1.1 099 OK\r\n\r\n", "a status that is not three digits"},
      {"control in reason", "HTTP/1.1 200 O\x01K\r\n\r\n",
       "a control character in the status line"},
      {"upgrade", "HTTP/1.1 101 Switching\r\n\r\n", "101 without an upgrade asked for"},
      {"no colon", kOk + "nonsense\r\n\r\n", "a header line without a colon"},
      {"no name", kOk + ": x\r\n\r\n", "a header line without a name"},
      {"blank before colon", kOk + "Content-Length : 3\r\n\r\n",
       "a character that a header name cannot have"},
      {"zero byte", kOk + "a: " + std::string(1, '\0') + "\r\n\r\n",
       "a control character in a header value"},
      {"carriage return inside", kOk + "a: b\rc: d\r\n\r\n",
       "a control character in a header value"},
      {"folded first", kOk + " x: y\r\n\r\n",
       "a folded header line where the body's framing could change"},
      {"folded length", kOk + "Content-Length: 1\r\n 0\r\n\r\n",
       "a folded header line where the body's framing could change"},
      {"lengths conflict", kOk + "Content-Length: 3\r\nContent-Length: 4\r\n\r\n",
       "conflicting content-length values"},
      {"lengths conflict in a list", kOk + "Content-Length: 3, 4\r\n\r\n",
       "conflicting content-length values"},
      {"length not a number", kOk + "Content-Length: +3\r\n\r\n",
       "a content-length that is not a number"},
      {"length of commas", kOk + "Content-Length: ,\r\n\r\n",
       "a content-length that is not a number"},
      {"length empty", kOk + "Content-Length:\r\n\r\n", "an empty content-length"},
      {"length too large", kOk + "Content-Length: 99999999999999999999999\r\n\r\n",
       "a content-length beyond any body"},
      {"length then chunked", kOk + "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n",
       "content-length together with transfer-encoding"},
      {"chunked then length", kOk + "Transfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n",
       "content-length together with transfer-encoding"},
      {"chunked twice", kOk + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n",
       "a transfer coding after chunked"},
      {"coding after chunked", kOk + "Transfer-Encoding: chunked, gzip\r\n\r\n",
       "a transfer coding after chunked"},
      {"empty coding", kOk + "Transfer-Encoding: ,\r\n\r\n", "an empty transfer-encoding"},
      {"chunk size not hex", chunked + "x\r\n", "a chunk size that is not a hexadecimal number"},
      {"chunk size negative", chunked + "-1\r\n", "a chunk size that is not a hexadecimal number"},
      {"chunk size with junk", chunked + "1 x\r\n",
       "a chunk size that is not a hexadecimal number"},
      {"chunk size empty", chunked + "\r\n", "a chunk size that is not a hexadecimal number"},
      {"chunk size too large", chunked + "fffffffffffffffff\r\n", "a chunk size beyond any body"},
      {"chunk line ends in LF", chunked + "1\n", "a chunk-size line that does not end in CRLF"},
      {"chunk line with control", chunked + "1;a\x01\r\n",
       "a control character in a chunk-size line"},
      {"chunk line too long", chunked + "1;" + std::string(4096, 'x') + "\r\n",
       "a chunk-size line above 4 KiB"},
      {"chunk longer than said", chunked + "1\r\nxy\r\n",
       "a chunk that does not end where its size says"},
      {"trailer ends in LF", chunked + "0\r\na: b\n", "a trailer line that does not end in CRLF"},
      {"trailers end in LF", chunked + "0\r\na: b\r\n\n",
       "a trailer line that does not end in CRLF"},
      {"trailer malformed", chunked + "0\r\nbad trailer\r\n\r\n",
       "a character that a header name cannot have"},
  };
}

TEST(Http1Client, ReadsResponsesTheSameAtAnySplit) {
  for (const Case& test : cases()) {
    SCOPED_TRACE(test.name);
    EXPECT_EQ(outcome_of(test, {test.input}), test.expected);
    EXPECT_EQ(outcome_of(test, bytes_of(test.input)), test.expected);
    const std::string_view input = test.input;
    for (std::size_t at = 1; at < input.size(); ++at) {
      ASSERT_EQ(outcome_of(test, {input.substr(0, at), input.substr(at)}), test.expected) << at;
    }
  }
}

TEST(Http1Client, NamesEachViolationAndLosesTheRequest) {
  for (const Case& test : violations()) {
    SCOPED_TRACE(test.name);
    const std::string expected =
        "7: lost, connection, broken-protocol; !" + test.expected + " closing";
    EXPECT_EQ(outcome_of(test, {test.input}), expected);
    EXPECT_EQ(outcome_of(test, bytes_of(test.input)), expected);
  }
}

TEST(Http1Client, BoundsHeadsAndTrailers) {
  const std::string line = "x: " + std::string(1019, 'v') + "\r\n";  // 1 KiB
  std::string head = kOk;
  for (int i = 0; i < 250; ++i) head += line;
  const Case fits{"250 KiB", head + "content-length: 0\r\n\r\n", "7: 200 with 0 after 0; "};
  EXPECT_EQ(outcome_of(fits, {fits.input}), fits.expected);
  for (int i = 0; i < 6; ++i) head += line;
  const Case large{"256 KiB and a line", head + "\r\n",
                   "7: lost, connection, head-too-large; !a head above 256 KiB closing"};
  EXPECT_EQ(outcome_of(large, {large.input}), large.expected);
  EXPECT_EQ(outcome_of(large, bytes_of(large.input)), large.expected);
  const Case endless{"one line", kOk + "x: " + std::string(257 << 10, 'v'), large.expected};
  EXPECT_EQ(outcome_of(endless, {endless.input}), endless.expected);
  std::string trailers = kOk + "transfer-encoding: chunked\r\n\r\n0\r\n";
  for (int i = 0; i < 257; ++i) trailers += line;
  const Case trailing{"trailers", trailers,
                      "7: lost, connection, head-too-large; !trailers above 256 KiB closing"};
  EXPECT_EQ(outcome_of(trailing, {trailing.input}), trailing.expected);
}

TEST(Http1Client, BoundsInformationalResponsesAndEmptyLines) {
  std::string hints;
  for (int i = 0; i < kMaxInformational; ++i) hints += "HTTP/1.1 103 E\r\n\r\n";
  const Case fits{"100", hints + kSized, "7: 200 with 3 after 100; "};
  EXPECT_EQ(outcome_of(fits, {fits.input}), fits.expected);
  const Case flood{"101", hints + "HTTP/1.1 103 E\r\n\r\n",
                   "7: lost, connection, informational-flood; "
                   "!more than 100 informational responses closing"};
  EXPECT_EQ(outcome_of(flood, {flood.input}), flood.expected);

  RecordedClient events;
  Http1Client client(&events);
  const std::string blank(1 << 10, '\n');
  int taken = 0;
  while (taken < 1000 && client.receive(blank)) ++taken;
  EXPECT_EQ(taken, 256);
}

TEST(Http1Client, EncodesARequestOnce) {
  Request request = get("POST");
  request.path = "/p?q";
  request.headers = {{"x-a", "1"}, {"host", "other"}, {"content-length", "9"}};
  EXPECT_EQ(Http1Request(request).bytes(),
            "POST /p?q HTTP/1.1\r\nhost: a.test\r\nx-a: 1\r\ncontent-length: 0\r\n\r\n");
  request.body = "body";
  EXPECT_THAT(Http1Request(request).bytes(), HasSubstr("content-length: 4\r\n\r\nbody"));
  EXPECT_EQ(Http1Request(get()).bytes(), "GET / HTTP/1.1\r\nhost: a.test\r\n\r\n");
}

TEST(Http1Client, RefusesWhatComesWhileIdle) {
  RecordedClient events;
  Http1Client client(&events);
  EXPECT_TRUE(client.receive("\r\n"));
  const Status status = client.receive("HTTP/1.1 408 Timeout\r\n\r\n");
  ASSERT_FALSE(status);
  EXPECT_THAT(status.error().what, HasSubstr("bytes that no request asked for"));
  EXPECT_EQ(client.failure(), Failure::kUnaskedBytes);
  EXPECT_TRUE(client.closing());
  EXPECT_EQ(client.free_slots(), 0);
  EXPECT_THAT(events.lines, ElementsAre());
  EXPECT_FALSE(client.receive("more"));
}

TEST(Http1Client, TellsAnAnnouncedCloseFromOneWhileIdle) {
  for (const bool announced : {true, false}) {
    RecordedClient events;
    Http1Client client(&events);
    const Http1Request request(get());
    client.submit(1, request);
    drain(client);
    EXPECT_EQ(client.failure(), Failure::kNone);
    const std::string field = announced ? "connection: close\r\n" : "";
    ASSERT_TRUE(client.receive(kOk + field + "content-length: 0\r\n\r\n"));
    client.end_of_input();
    EXPECT_EQ(client.failure(), announced ? Failure::kCloseAnnounced : Failure::kClosedWhileIdle);
  }
}

TEST(Http1Client, DoesNotTakeALeftoverForTheNextRequestsResponse) {
  RecordedClient events;
  Http1Client client(&events);
  const Http1Request request(get());
  events.then = [&](std::uint64_t id) {
    if (client.free_slots() > 0) client.submit(id + 1, request);
  };
  client.submit(1, request);
  drain(client);
  const Status status = client.receive(kSized + kSized);
  ASSERT_FALSE(status);
  EXPECT_THAT(status.error().what, HasSubstr("a response before its request was sent"));
  EXPECT_THAT(events.lines,
              ElementsAre("1: 200 with 3 after 0", "2: lost, connection, unasked-bytes"));
}

TEST(Http1Client, SendsTheRestOfABodyThatWasAnsweredEarly) {
  RecordedClient events;
  Http1Client client(&events);
  Request request = get("POST");
  request.body = "0123456789";
  const Http1Request prepared(request);
  client.submit(1, prepared);
  client.consume(client.output().size() - 4);
  ASSERT_TRUE(client.receive("HTTP/1.1 413 Large\r\ncontent-length: 0\r\n\r\n"));
  EXPECT_THAT(events.lines, ElementsAre("1: 413 with 0 after 0"));
  EXPECT_EQ(client.free_slots(), 0);
  EXPECT_EQ(drain(client), "6789");
  EXPECT_EQ(client.free_slots(), 1);

  client.submit(2, prepared);
  client.consume(client.output().size() - 4);
  ASSERT_TRUE(
      client.receive("HTTP/1.1 413 Large\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"));
  EXPECT_TRUE(client.closing());
  EXPECT_EQ(client.output(), "");
}

}  // namespace
// At every place in a text of several words, for the search goes by words.
TEST(Http1SyntaxTest, ControlCharacterIsFoundAtEveryPlace) {
  for (int byte = 0; byte < 256; ++byte) {
    const bool control = (byte < 0x20 && byte != '\t') || byte == 0x7f;
    for (std::size_t at = 0; at < 19; ++at) {
      for (const char around : {'a', '\t', '\xff'}) {
        std::string text(19, around);
        text[at] = static_cast<char>(byte);
        EXPECT_EQ(has_control(text), control) << "byte " << byte << " at " << at;
      }
    }
  }
}

}  // namespace hone::traffic::wire
