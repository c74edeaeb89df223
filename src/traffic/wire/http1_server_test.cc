#include "traffic/wire/http1_server.h"

#include <gmock/gmock.h>

#include "traffic/wire/filler.h"
#include "traffic/wire/recorded_events.h"

namespace hone::traffic::wire {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

constexpr std::size_t kBodyLimit = 16;  // of a request's body

Reply text(const std::string& body) {
  Reply reply;
  reply.body = body;
  return reply;
}

struct Outcome {
  std::vector<std::string> requests;
  std::string answers;
  std::string error;
  bool finished = false;
  bool operator==(const Outcome&) const = default;
};

// Answers every request at once with the number of the request.
Outcome outcome_of(std::string_view input, std::size_t piece) {
  RecordedServer events;
  Http1Server server(&events, kBodyLimit);
  events.then = [&](std::uint64_t stream, const RequestView&) {
    server.respond(stream, text(std::to_string(stream)));
  };
  Outcome outcome;
  while (!input.empty()) {
    const Status status = server.receive(input.substr(0, piece));
    input.remove_prefix(std::min(piece, input.size()));
    outcome.answers += drain(server);
    if (!status) {
      EXPECT_EQ(status.error().kind, ErrorKind::kNetwork);
      outcome.error = status.error().what.substr(status.error().what.find(": ") + 2);
      break;
    }
  }
  outcome.requests = events.lines;
  outcome.finished = server.finished();
  return outcome;
}

std::string answer(const std::string& body, const std::string& more = "") {
  return "HTTP/1.1 200 OK\r\ncontent-length: " + std::to_string(body.size()) + "\r\n" + more +
         "\r\n" + body;
}

TEST(Http1Server, ReadsRequestsTheSameAtAnySplit) {
  struct Sample {
    const char* name;
    std::string input;
    std::vector<std::string> requests;
    std::string answers;
    bool finished = false;
  };
  const std::string post = "POST /p HTTP/1.1\r\nHost: h\r\n";
  const std::string closes = "connection: close\r\n";
  const std::vector<Sample> cases = {
      {"get",
       "GET /a?b HTTP/1.1\r\nHost: h:1\r\nX-Y: z\r\n\r\n",
       {"GET /a?b @h:1 x-y=z"},
       answer("1")},
      {"bare line feeds", "\nGET / HTTP/1.1\nHost: h\n\n", {"GET / @h"}, answer("1")},
      {"pipelined",
       "GET /1 HTTP/1.1\r\nHost: h\r\n\r\n\r\nGET /2 HTTP/1.1\r\nHost: h\r\n\r\n",
       {"GET /1 @h", "GET /2 @h"},
       answer("1") + answer("2")},
      {"length",
       post + "Content-Length: 4\r\n\r\nbody",
       {"POST /p @h content-length=4 [body]"},
       answer("1")},
      {"length twice",
       post + "Content-Length: 4, 4\r\n\r\nbody",
       {"POST /p @h content-length=4, 4 [body]"},
       answer("1")},
      {"chunked",
       post + "Transfer-Encoding: Chunked\r\n\r\n2\r\nbo\r\n2;e\r\ndy\r\n0\r\nt: u\r\n\r\n",
       {"POST /p @h transfer-encoding=Chunked [body]"},
       answer("1")},
      {"expects continue",
       post + "Content-Length: 4\r\nExpect: 100-continue\r\n\r\nbody",
       {"POST /p @h content-length=4 expect=100-continue [body]"},
       "HTTP/1.1 100 Continue\r\n\r\n" + answer("1")},
      {"head",
       "HEAD / HTTP/1.1\r\nHost: h\r\n\r\n",
       {"HEAD / @h"},
       "HTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\n"},
      {"absolute form",
       "GET HTTP://x:8/y HTTP/1.1\r\nHost: h\r\n\r\n",
       {"GET /y @x:8"},
       answer("1")},
      {"absolute form without a path",
       "GET http://x HTTP/1.1\r\nHost: h\r\n\r\n",
       {"GET / @x"},
       answer("1")},
      {"asterisk", "OPTIONS * HTTP/1.1\r\nHost: h\r\n\r\n", {"OPTIONS * @h"}, answer("1")},
      {"close",
       "GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\nGET /2",
       {"GET / @h connection=close"},
       answer("1", closes),
       true},
      {"1.0", "GET / HTTP/1.0\r\n\r\n", {"GET / @"}, answer("1", closes), true},
      {"1.0 kept",
       "GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n",
       {"GET / @ connection=keep-alive"},
       answer("1", "connection: keep-alive\r\n")},
      {"looks like HTTP/2 at first",
       "PRI / HTTP/1.1\r\nHost: h\r\n\r\n",
       {"PRI / @h"},
       answer("1")},
  };
  for (const Sample& test : cases) {
    SCOPED_TRACE(test.name);
    const Outcome expected{test.requests, test.answers, "", test.finished};
    for (std::size_t piece = 1; piece <= test.input.size(); ++piece) {
      const Outcome outcome = outcome_of(test.input, piece);
      ASSERT_EQ(outcome.requests, expected.requests) << piece;
      ASSERT_EQ(outcome.answers, expected.answers) << piece;
      ASSERT_EQ(outcome, expected) << piece;
    }
  }
}

TEST(Http1Server, RefusesByNameAnswersAndCloses) {
  struct Sample {
    std::string input;
    int status;
    std::string error;
  };
  const std::string get = "GET / HTTP/1.1\r\nHost: h\r\n";
  const std::vector<Sample> cases = {
      {"GET /\r\n\r\n", 400, "a request line without method, target and version"},
      {"nonsense\r\n", 400, "a request line without method, target and version"},
      {"G@T / HTTP/1.1\r\n", 400, "a method that is not a token"},
      {"GET / HTTP/1\r\n", 400, "a request line without an HTTP version"},
      {"GET / HTTP/3.0\r\n", 505, "a version that is neither HTTP/1.0 nor HTTP/1.1"},
      {"GET /a b HTTP/1.1\r\n", 400, "a blank or control character in the request target"},
      {"GET  HTTP/1.1\r\n", 400, "a blank or control character in the request target"},
      {"GET h:1 HTTP/1.1\r\n", 400, "a request target that is neither a path nor a URL"},
      {"GET http:///x HTTP/1.1\r\n", 400, "a request target without a host"},
      {"GET / HTTP/1.1\r\n\r\n", 400, "a request without a host header"},
      {get + "Host: i\r\n\r\n", 400, "two host headers"},
      {get + "X: y\r\n z\r\n\r\n", 400, "a folded header line"},
      {get + "X : y\r\n\r\n", 400, "a character that a header name cannot have"},
      {get + "X: \x7f\r\n\r\n", 400, "a control character in a header value"},
      {get + "Content-Length: 1\r\nContent-Length: 2\r\n\r\n", 400,
       "conflicting content-length values"},
      {get + "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", 400,
       "content-length together with transfer-encoding"},
      {get + "Transfer-Encoding: gzip\r\n\r\n", 400,
       "a transfer-encoding that does not end in chunked"},
      {get + "Transfer-Encoding: gzip, chunked\r\n\r\n", 501,
       "a transfer coding other than chunked"},
      {"GET / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n", 400,
       "transfer-encoding in an HTTP/1.0 request"},
      {get + "Transfer-Encoding: chunked\r\n\r\nz\r\n", 400,
       "a chunk size that is not a hexadecimal number"},
      {get + "Expect: miracles\r\n\r\n", 417, "an unknown expectation"},
      {get + "Content-Length: 17\r\n\r\n", 413, "a body above the limit"},
      {get + "Transfer-Encoding: chunked\r\n\r\n11\r\n0123456789abcdefg\r\n", 413,
       "a body above the limit"},
      {"GET / HTTP/1.1\r\nX: " + std::string(256 << 10, 'y'), 431, "a head above 256 KiB"},
  };
  for (const Sample& test : cases) {
    SCOPED_TRACE(test.error);
    const Outcome whole = outcome_of(test.input, test.input.size());
    EXPECT_EQ(whole.error, test.error);
    EXPECT_THAT(whole.answers, StartsWith("HTTP/1.1 " + std::to_string(test.status) + " "));
    EXPECT_THAT(whole.answers, HasSubstr("\r\nconnection: close\r\n"));
    EXPECT_THAT(whole.requests, ElementsAre());
    EXPECT_TRUE(whole.finished);
    EXPECT_EQ(outcome_of(test.input, 1), whole);
  }
}

TEST(Http1Server, AnswersInTheOrderOfTheRequests) {
  RecordedServer events;
  Http1Server server(&events, kBodyLimit);
  std::string input;
  for (int i = 1; i <= 5; ++i) input += "GET / HTTP/1.1\r\nHost: h\r\n\r\n";
  ASSERT_TRUE(server.receive(input));
  ASSERT_THAT(events.streams, ElementsAre(1, 2, 3, 4, 5));
  EXPECT_TRUE(server.respond(3, text("three")));
  server.respond(2, text("two"));
  EXPECT_EQ(server.output(), "");
  EXPECT_TRUE(server.respond(1, text("one")));
  EXPECT_EQ(drain(server), answer("one") + answer("two") + answer("three"));
  EXPECT_FALSE(server.respond(1, text("again")));
  EXPECT_FALSE(server.respond(9, text("never asked")));
  EXPECT_EQ(server.output(), "");
  server.respond(5, text("five"));
  server.respond(4, text("four"));
  EXPECT_EQ(drain(server), answer("four") + answer("five"));
  EXPECT_FALSE(server.finished());
}

TEST(Http1Server, ContinueAndRefusalWaitForEarlierAnswers) {
  RecordedServer events;
  Http1Server server(&events, kBodyLimit);
  ASSERT_TRUE(
      server.receive("GET / HTTP/1.1\r\nHost: h\r\n\r\nPOST / HTTP/1.1\r\nHost: h\r\n"
                     "Content-Length: 4\r\nExpect: 100-continue\r\n\r\n"));
  EXPECT_EQ(server.output(), "");
  server.respond(1, text("one"));
  EXPECT_EQ(drain(server), answer("one") + "HTTP/1.1 100 Continue\r\n\r\n");
  EXPECT_FALSE(server.receive("bodynonsense\r\n"));
  EXPECT_EQ(server.output(), "");
  EXPECT_FALSE(server.finished());
  server.respond(2, text("two"));
  EXPECT_THAT(drain(server), StartsWith(answer("two") + "HTTP/1.1 400 Bad Request\r\n"));
  EXPECT_TRUE(server.finished());
}

TEST(Http1Server, ClosingAnswerDropsLaterRequests) {
  RecordedServer events;
  Http1Server server(&events, kBodyLimit);
  const std::string get = "GET / HTTP/1.1\r\nHost: h\r\n\r\n";
  ASSERT_TRUE(server.receive(get + get + get));
  server.respond(3, text("three"));
  Reply last = text("one");
  last.close = true;
  server.respond(1, last);
  EXPECT_EQ(drain(server), answer("one", "connection: close\r\n"));
  EXPECT_TRUE(server.finished());
  EXPECT_EQ(events.lines.back(), "lost 2");
  ASSERT_TRUE(server.receive(get));
  EXPECT_EQ(events.streams.size(), 3u);
}

TEST(Http1Server, StillAnswersAfterEndOfInput) {
  RecordedServer events;
  Http1Server server(&events, kBodyLimit);
  ASSERT_TRUE(server.receive("GET / HTTP/1.1\r\nHost: h\r\n\r\n"));
  server.end_of_input();
  EXPECT_FALSE(server.finished());
  server.respond(1, text("late"));
  EXPECT_FALSE(server.finished());
  EXPECT_EQ(drain(server), answer("late"));
  EXPECT_TRUE(server.finished());
}

TEST(Http1Server, BoundsPipelining) {
  RecordedServer events;
  Http1Server server(&events, kBodyLimit);
  std::string input;
  for (int i = 0; i < 1025; ++i) input += "GET / HTTP/1.1\r\nHost: h\r\n\r\n";
  const Status status = server.receive(input);
  ASSERT_FALSE(status);
  EXPECT_THAT(status.error().what, HasSubstr("more than 1,024 requests at once"));
  EXPECT_EQ(events.streams.size(), 1024u);
}

std::string letters(std::size_t size) {
  std::string body;
  while (body.size() < size) body += filler(body.size(), size - body.size());
  return body;
}

TEST(Http1Server, MakesLargeBodiesAsTheyLeave) {
  RecordedServer events;
  Http1Server server(&events, kBodyLimit);
  ASSERT_TRUE(
      server.receive("GET /1 HTTP/1.1\r\nHost: h\r\n\r\nGET /2 HTTP/1.1\r\nHost: h\r\n\r\n"));
  constexpr std::size_t kBody = 3'000'001;
  Reply large;
  large.body_length = kBody;
  server.respond(1, large);
  server.respond(2, text("two"));
  const std::string head = "HTTP/1.1 200 OK\r\ncontent-length: 3000001\r\n\r\n";
  const std::string expected = head + letters(kBody) + answer("two");
  std::string sent;
  while (true) {
    const auto ahead = server.output();
    if (ahead.empty()) break;
    ASSERT_LE(ahead.size(), 256u << 10);
    const auto taken = std::min<std::size_t>(ahead.size(), 50'000);  // as a socket would
    sent.append(ahead.substr(0, taken));
    server.consume(taken);
  }
  EXPECT_EQ(sent.size(), expected.size());
  EXPECT_TRUE(sent == expected);
}

TEST(Http1Server, WritesEachFraming) {
  const auto answered = [](const Reply& reply, const std::string& request) {
    RecordedServer events;
    Http1Server server(&events, kBodyLimit);
    EXPECT_TRUE(server.receive(request));
    server.respond(1, reply);
    return drain(server);
  };
  const std::string get = "GET / HTTP/1.1\r\nHost: h\r\n\r\n";
  const std::string head = "HEAD / HTTP/1.1\r\nHost: h\r\n\r\n";
  Reply reply;
  reply.headers = {{"x-a", "b"}};
  reply.framing = Framing::kChunked;
  reply.trailers = {{"t", "u"}};
  reply.body_length = 20'000;
  reply.early_hints = 1;
  const std::string hint =
      "HTTP/1.1 103 Early Hints\r\nlink: </style.css>; rel=preload; as=style\r\n\r\n";
  const std::string all = letters(20'000);
  EXPECT_EQ(answered(reply, get),
            hint + "HTTP/1.1 200 OK\r\nx-a: b\r\ntransfer-encoding: chunked\r\n\r\n4000\r\n" +
                all.substr(0, 16384) + "\r\ne20\r\n" + all.substr(16384) + "\r\n0\r\nt: u\r\n\r\n");
  EXPECT_EQ(answered(reply, head),
            hint + "HTTP/1.1 200 OK\r\nx-a: b\r\ntransfer-encoding: chunked\r\n\r\n");
  EXPECT_EQ(answered(reply, "GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n"),
            "HTTP/1.1 200 OK\r\nx-a: b\r\nconnection: close\r\n\r\n" + all);
  reply.early_hints = 0;
  reply.framing = Framing::kClose;
  reply.body = "text";
  EXPECT_EQ(answered(reply, get), "HTTP/1.1 200 OK\r\nx-a: b\r\nconnection: close\r\n\r\ntext");
  reply.framing = Framing::kChunked;
  reply.trailers.clear();
  EXPECT_EQ(
      answered(reply, get),
      "HTTP/1.1 200 OK\r\nx-a: b\r\ntransfer-encoding: chunked\r\n\r\n4\r\ntext\r\n0\r\n\r\n");
  reply.status = 204;
  EXPECT_EQ(answered(reply, get), "HTTP/1.1 204 No Content\r\nx-a: b\r\n\r\n");
}

}  // namespace
}  // namespace hone::traffic::wire
