// Client against server in memory, for both protocols: every framing of an answer, both sides'
// view.
#include <gmock/gmock.h>

#include <cstdlib>
#include <new>

#include "traffic/wire/filler.h"
#include "traffic/wire/http2_memory.h"
#include "traffic/wire/recorded_events.h"

// Counts this thread's allocations, for the test that says there are none. Not under a sanitizer,
// which brings an operator new of its own.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define HONE_COUNTS_ALLOCATIONS 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define HONE_COUNTS_ALLOCATIONS 0
#endif
#endif
#ifndef HONE_COUNTS_ALLOCATIONS
#define HONE_COUNTS_ALLOCATIONS 1
#endif

namespace {
thread_local std::uint64_t allocations = 0;
}  // namespace

#if HONE_COUNTS_ALLOCATIONS
// Not inlined: g++ would see malloc's memory given to delete, and call that a mismatch.
[[gnu::noinline]] void* operator new(std::size_t size) {
  ++allocations;
  if (void* memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
#endif

namespace hone::traffic::wire {
namespace {

using testing::ElementsAre;

struct Answered {
  std::string request;   // as the server saw it
  std::string response;  // as the client saw it
  bool client_closing = false;
  bool server_finished = false;
};

class Sessions : public testing::TestWithParam<Protocol> {
 protected:
  Answered answer(const Reply& reply, const std::string& method, std::size_t piece) {
    Request request;
    request.method = method;
    request.authority = "a.test";
    request.path = "/x";
    request.headers = {{"x-a", "b"}};
    const auto prepared = prepare(GetParam(), request);
    RecordedClient client_events;
    RecordedServer server_events;
    const auto client = make_client_session(GetParam(), 4, &client_events);
    const auto server = make_server_session(Protocol::kHttp1, &server_events);
    server_events.then = [&](std::uint64_t stream, const RequestView&) {
      server->respond(stream, reply);
    };
    client->submit(1, *prepared);
    const Status status = exchange(*client, *server, piece);
    EXPECT_TRUE(status) << status.error().what;
    if (server->finished()) client->end_of_input();
    EXPECT_EQ(client->open_requests(), 0);
    EXPECT_EQ(client_events.lines.size(), 1u);
    EXPECT_EQ(server_events.lines.size(), 1u);
    return {server_events.lines.empty() ? "" : server_events.lines[0],
            client_events.lines.empty() ? "" : client_events.lines[0], client->closing(),
            server->finished()};
  }
};

INSTANTIATE_TEST_SUITE_P(Both, Sessions, testing::Values(Protocol::kHttp1, Protocol::kHttp2),
                         [](const auto& tested) { return std::string(name(tested.param)); });

TEST_P(Sessions, EveryFramingArrivesWhole) {
  for (const Framing framing : {Framing::kLength, Framing::kChunked, Framing::kClose}) {
    for (const std::uint64_t length : {0, 1, 4096, 16384, 65536, 300'000, 1'000'000}) {
      for (const int hints : {0, 2}) {
        SCOPED_TRACE(testing::Message() << static_cast<int>(framing) << " " << length);
        Reply reply;
        reply.framing = framing;
        reply.body_length = length;
        reply.early_hints = hints;
        if (framing == Framing::kChunked) reply.trailers = {{"grpc-status", "0"}};
        const Answered got = answer(reply, "GET", 1 << 20);
        EXPECT_EQ(got.request, "GET /x @a.test x-a=b");
        EXPECT_EQ(got.response,
                  "1: 200 with " + std::to_string(length) + " after " + std::to_string(hints));
        EXPECT_EQ(got.client_closing, framing == Framing::kClose);
        EXPECT_EQ(got.server_finished, framing == Framing::kClose);
      }
    }
  }
}

TEST_P(Sessions, ByteAtATimeIsTheSame) {
  Reply reply;
  reply.body_length = 20'000;
  reply.framing = Framing::kChunked;
  reply.trailers = {{"t", "u"}};
  EXPECT_EQ(answer(reply, "GET", 1).response, "1: 200 with 20000 after 0");
}

TEST_P(Sessions, HeadAndStatusesWithoutBody) {
  Reply reply;
  reply.body_length = 100;
  EXPECT_EQ(answer(reply, "HEAD", 1 << 20).response, "1: 200 with 0 after 0");
  reply.status = 204;
  EXPECT_EQ(answer(reply, "GET", 1 << 20).response, "1: 204 with 0 after 0");
  reply.status = 304;
  EXPECT_EQ(answer(reply, "GET", 1 << 20).response, "1: 304 with 0 after 0");
  reply.status = 503;
  reply.body = "no";
  reply.close = true;
  const Answered got = answer(reply, "GET", 1 << 20);
  EXPECT_EQ(got.response, "1: 503 with 2 after 0");
  EXPECT_TRUE(got.client_closing);
  EXPECT_TRUE(got.server_finished);
}

TEST_P(Sessions, HeaderHeavyAnswersArrive) {
  Reply reply;
  for (int i = 0; i < 100; ++i) {
    reply.headers.push_back({"x-header-" + std::to_string(i), std::string(800, 'v')});
  }
  reply.body_length = 10;
  EXPECT_EQ(answer(reply, "GET", 1 << 20).response, "1: 200 with 10 after 0");
}

TEST_P(Sessions, BodiesReachTheServerUpToItsLimit) {
  constexpr std::size_t kLimit = 200'000;
  for (const std::size_t size : {std::size_t{1}, std::size_t{70'000}, kLimit, kLimit + 1}) {
    SCOPED_TRACE(size);
    Request request;
    request.method = "POST";
    request.authority = "a.test";
    while (request.body.size() < size) {
      request.body += filler(request.body.size(), size - request.body.size());
    }
    const auto prepared = prepare(GetParam(), request);
    RecordedClient client_events;
    RecordedServer server_events;
    const auto client = make_client_session(GetParam(), 4, &client_events);
    const auto server = make_server_session(GetParam(), &server_events, kLimit);
    std::string body;
    server_events.then = [&](std::uint64_t stream, const RequestView& view) {
      body = view.body;
      server->respond(stream, Reply());
    };
    client->submit(1, *prepared);
    (void)exchange(*client, *server);  // HTTP/1 reports its refusal as an error of receive()
    const std::string down = drain(*server);
    if (!down.empty()) {
      EXPECT_TRUE(client->receive(down));
    }
    if (size <= kLimit) {
      EXPECT_TRUE(body == request.body);
      EXPECT_THAT(client_events.lines, ElementsAre("1: 200 with 0 after 0"));
    } else if (GetParam() == Protocol::kHttp1) {
      EXPECT_THAT(client_events.lines, ElementsAre("1: 413 with 23 after 0"));
      EXPECT_TRUE(server->finished());
    } else {
      EXPECT_THAT(client_events.lines, ElementsAre("1: lost, reset, stream-reset"));
      EXPECT_FALSE(client->closing());
    }
  }
}

TEST_P(Sessions, AnUploadThatIsNotKeptIsCountedWhateverItsSize) {
  constexpr std::size_t kLimit = 1000;
  Request request;
  request.method = "POST";
  request.authority = "a.test";
  request.body.assign(300'000, 'b');
  const auto prepared = prepare(GetParam(), request);
  RecordedClient client_events;
  RecordedServer server_events;
  server_events.keeps = false;
  const auto client = make_client_session(GetParam(), 4, &client_events);
  const auto server = make_server_session(GetParam(), &server_events, kLimit);
  std::vector<std::uint64_t> seen;
  server_events.then = [&](std::uint64_t stream, const RequestView& view) {
    EXPECT_TRUE(view.body.empty());
    seen.push_back(view.body_bytes);
    server->respond(stream, Reply());
  };
  for (std::uint64_t id = 1; id <= 2; ++id) {
    client->submit(id, *prepared);
    ASSERT_TRUE(exchange(*client, *server, 50'000));
  }
  EXPECT_THAT(seen, ElementsAre(300'000u, 300'000u));
  EXPECT_THAT(client_events.lines, ElementsAre("1: 200 with 0 after 0", "2: 200 with 0 after 0"));
}

TEST_P(Sessions, AnswersMayComeLater) {
  Request request;
  request.authority = "a.test";
  const auto prepared = prepare(GetParam(), request);
  RecordedClient client_events;
  RecordedServer server_events;
  const auto client = make_client_session(GetParam(), 3, &client_events);
  const auto server = make_server_session(GetParam(), &server_events);
  std::uint64_t id = 0;
  while (client->free_slots() > 0) client->submit(++id, *prepared);
  EXPECT_EQ(id, GetParam() == Protocol::kHttp1 ? 1u : 3u);
  ASSERT_TRUE(exchange(*client, *server));
  EXPECT_EQ(client->open_requests(), static_cast<int>(id));
  ASSERT_EQ(server_events.streams.size(), id);
  for (auto stream = server_events.streams.rbegin(); stream != server_events.streams.rend();
       ++stream) {
    EXPECT_TRUE(server->respond(*stream, Reply()));
    EXPECT_FALSE(server->respond(*stream, Reply()));  // a second answer is no answer
  }
  ASSERT_TRUE(exchange(*client, *server));
  EXPECT_EQ(client_events.lines.size(), id);
  EXPECT_EQ(client_events.lines.back(), "1: 200 with 0 after 0");
}

TEST_P(Sessions, EventsMaySubmitAndFetchOutput) {
  Request request;
  request.authority = "a.test";
  const auto prepared = prepare(GetParam(), request);
  RecordedClient client_events;
  RecordedServer server_events;
  const auto client = make_client_session(GetParam(), 2, &client_events);
  const auto server = make_server_session(GetParam(), &server_events);
  std::string from_events;
  client_events.then = [&](std::uint64_t id) {
    if (id >= 100) return;
    client->submit(id + 1, *prepared);
    from_events += drain(*client);
  };
  server_events.then = [&](std::uint64_t stream, const RequestView&) {
    server->respond(stream, Reply());
    (void)server->output();
  };
  client->submit(1, *prepared);
  for (int i = 0; i < 200 && client->open_requests() > 0; ++i) {
    std::string up;
    up.swap(from_events);
    up += drain(*client);
    ASSERT_TRUE(server->receive(up));
    ASSERT_TRUE(client->receive(drain(*server)));
  }
  EXPECT_EQ(client_events.lines.size(), 100u);
}

TEST_P(Sessions, ServerMakesLittleAheadOfTheSocket) {
  Request request;
  request.authority = "a.test";
  const auto prepared = prepare(GetParam(), request);
  RecordedClient client_events;
  RecordedServer server_events;
  const auto client = make_client_session(GetParam(), 1, &client_events);
  const auto server = make_server_session(GetParam(), &server_events);
  client->submit(1, *prepared);
  ASSERT_TRUE(exchange(*client, *server));
  Reply reply;
  reply.body_length = 5'000'000;
  server->respond(server_events.streams.at(0), reply);
  for (auto ahead = server->output(); !ahead.empty(); ahead = server->output()) {
    ASSERT_LE(ahead.size(), 256u << 10);
    ASSERT_TRUE(client->receive(ahead));
    server->consume(ahead.size());
  }
  EXPECT_THAT(client_events.lines, ElementsAre("1: 200 with 5000000 after 0"));
}

TEST(Http2Sessions, ClientCopiesLittleOfABodyAhead) {
  Request request;
  request.method = "POST";
  request.authority = "a.test";
  request.body.assign(5'000'000, 'b');
  const auto prepared = prepare(Protocol::kHttp2, request);
  RecordedClient client_events;
  RecordedServer server_events;
  const auto client = make_client_session(Protocol::kHttp2, 1, &client_events);
  const auto server = make_server_session(Protocol::kHttp2, &server_events);
  ASSERT_TRUE(exchange(*client, *server));  // the server's windows
  client->submit(1, *prepared);
  for (auto ahead = client->output(); !ahead.empty(); ahead = client->output()) {
    ASSERT_LE(ahead.size(), 256u << 10);
    ASSERT_TRUE(server->receive(ahead));
    client->consume(ahead.size());
  }
  EXPECT_EQ(server_events.streams.size(), 1u);
}

// Events that neither record nor allocate.
class Counter final : public ClientEvents {
 public:
  void on_response(std::uint64_t, const ResponseSummary& response) override {
    ok += response.status == 200 && response.body_bytes == 4096;
  }
  void on_loss(std::uint64_t, Loss, Failure) override { ++lost; }
  int ok = 0, lost = 0;
};
class Answerer final : public ServerEvents {
 public:
  void on_request(std::uint64_t stream, const RequestView&) override {
    server->respond(stream, reply);
  }
  void on_request_lost(std::uint64_t) override {}
  ServerSession* server = nullptr;
  Reply reply;
};

TEST_P(Sessions, TenThousandRequestsOnOneConnection) {
  Request request;
  request.authority = "a.test";
  request.headers = {{"user-agent", "a name that is longer than a short string holds"}};
  const auto prepared = prepare(GetParam(), request);
  Counter counter;
  Answerer answerer;
  const auto client = make_client_session(GetParam(), 1, &counter);
  const auto server = make_server_session(GetParam(), &answerer);
  answerer.server = server.get();
  answerer.reply.body_length = 4096;
  answerer.reply.headers = {{"content-type", "text/plain"}};
  const auto one = [&](std::uint64_t id) {
    client->submit(id, *prepared);
    for (auto up = client->output(); !up.empty(); up = client->output()) {
      ASSERT_TRUE(server->receive(up));
      client->consume(up.size());
    }
    for (auto down = server->output(); !down.empty(); down = server->output()) {
      ASSERT_TRUE(client->receive(down));
      server->consume(down.size());
    }
  };
  for (std::uint64_t id = 0; id < 10; ++id) one(id);  // buffers find their size
  allocations = 0;
  const std::uint64_t library_before = http2_system_allocations();
  for (std::uint64_t id = 10; id < 10'000; ++id) one(id);
  const std::uint64_t made = allocations;
  const std::uint64_t made_by_library = http2_system_allocations() - library_before;
  EXPECT_EQ(counter.ok, 10'000);
  EXPECT_EQ(counter.lost, 0);
  EXPECT_EQ(client->open_requests(), 0);
  if (HONE_COUNTS_ALLOCATIONS == 0) {
    GTEST_SKIP() << "allocations are not counted under a sanitizer";
  }
  EXPECT_EQ(made, 0u);
  EXPECT_EQ(made_by_library, 0u);
}

TEST(HttpOneServer, BecomesHttpTwoByPriorKnowledgeOnly) {
  RecordedServer events;
  const auto server = make_server_session(Protocol::kHttp1, &events);
  ASSERT_TRUE(server->receive("PRI * HTTP/2.0\r\n\r\nSM"));
  EXPECT_EQ(server->output(), "");
  ASSERT_TRUE(server->receive("\r\n\r\n"));
  EXPECT_NE(server->output(), "");  // its SETTINGS
  server->end_of_input();
  EXPECT_TRUE(server->finished());
}

}  // namespace
}  // namespace hone::traffic::wire
