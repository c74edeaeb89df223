#include "traffic/origin/route.h"

#include <gtest/gtest.h>

namespace hone::traffic::origin {
namespace {

TEST(RouteTest, BytesHaveALength) {
  const Route route = parse_route("/bytes/4096");
  EXPECT_EQ(route.reply.status, 200);
  EXPECT_EQ(route.reply.body_length, 4096U);
  EXPECT_EQ(route.reply.framing, wire::Framing::kLength);
  EXPECT_EQ(route.delay, system::Duration::zero());
}

TEST(RouteTest, HeadersHaveTheCountAndTheLength) {
  const Route route = parse_route("/headers/3/50");
  ASSERT_EQ(route.reply.headers.size(), 4U);  // content-type too
  for (std::size_t i = 1; i < 4; ++i) EXPECT_EQ(route.reply.headers[i].value.size(), 50U);
  EXPECT_NE(route.reply.headers[1].value, route.reply.headers[2].value);
  EXPECT_EQ(route.reply.headers, parse_route("/headers/3/50").reply.headers);
}

TEST(RouteTest, DelayStandsBeforeBytes) {
  const Route route = parse_route("/delay/250/bytes/7");
  EXPECT_EQ(route.delay, std::chrono::milliseconds(250));
  EXPECT_EQ(route.reply.body_length, 7U);
}

TEST(RouteTest, SpinStandsBeforeBytes) {
  const Route route = parse_route("/spin/00000450/bytes/7");
  EXPECT_EQ(route.spin_turns, 450U);
  EXPECT_EQ(route.reply.body_length, 7U);
  EXPECT_EQ(parse_route("/spin/10000001/bytes/7").reply.status, 404);
}

TEST(RouteTest, OtherWords) {
  EXPECT_EQ(parse_route("/status/503").reply.status, 503);
  EXPECT_EQ(parse_route("/chunked/9").reply.framing, wire::Framing::kChunked);
  EXPECT_TRUE(parse_route("/chunked/9").reply.trailers.empty());
  EXPECT_EQ(parse_route("/chunked/9/trailers").reply.trailers.size(), 1U);
  EXPECT_EQ(parse_route("/close/9").reply.framing, wire::Framing::kClose);
  EXPECT_EQ(parse_route("/early-hints/3").reply.early_hints, 3);
  EXPECT_EQ(parse_route("/echo").body, Route::Body::kEcho);
  EXPECT_EQ(parse_route("/stats").body, Route::Body::kCounters);
}

TEST(RouteTest, AQueryChangesNothing) {
  EXPECT_EQ(parse_route("/bytes/5?i=1").reply.body_length, 5U);
}

TEST(RouteTest, AnythingElseIsNotFound) {
  for (const char* path : {"",
                           "/",
                           "/bytes",
                           "/bytes/",
                           "/bytes/x",
                           "/bytes/-1",
                           "/bytes/1/2",
                           "/bytes/4k",
                           "bytes/1",
                           "/bytes/99999999999999999999",
                           "/status/99",
                           "/status/600",
                           "/status/100",
                           "/delay/5",
                           "/delay/5/bytes",
                           "/delay/60001/bytes/1",
                           "/headers/10",
                           "/headers/1001/1",
                           "/headers/2/524289",
                           "/echo/1",
                           "/chunked/1/trailer",
                           "/early-hints/101",
                           "/favicon.ico"}) {
    const Route route = parse_route(path);
    EXPECT_EQ(route.reply.status, 404) << path;
    EXPECT_FALSE(route.reply.body.empty()) << path;
  }
}

TEST(RouteTest, AnswersUnaryCalls) {
  const Route echo = parse_route("/grpc/package.Service/Method");
  EXPECT_EQ(echo.body, Route::Body::kGrpcEcho);
  EXPECT_EQ(echo.reply.trailers, (std::vector<wire::Header>{{"grpc-status", "0"}}));
  const Route fails = parse_route("/grpc/status/14");
  EXPECT_EQ(fails.body, Route::Body::kAsGiven);
  EXPECT_EQ(fails.reply.headers.back(), (wire::Header{"grpc-status", "14"}));
  EXPECT_TRUE(fails.reply.trailers.empty());
  EXPECT_EQ(parse_route("/grpc/status/17").reply.status, 404);
}

TEST(RouteCacheTest, KeepsARouteAndStaysBounded) {
  RouteCache cache;
  const Route* first = &cache.find("/bytes/1");
  for (int i = 2; i < 5000; ++i) {
    const std::string path = "/bytes/" + std::to_string(i);
    EXPECT_EQ(cache.find(path).reply.body_length, static_cast<std::uint64_t>(i));
  }
  EXPECT_EQ(&cache.find("/bytes/1"), first);
  EXPECT_LE(cache.size(), 256U);
}

TEST(RouteCacheTest, QueriesShareTheirPathsRoute) {
  RouteCache cache;
  const Route* route = &cache.find("/bytes/1");
  EXPECT_EQ(&cache.find("/bytes/1?i=1"), route);
  EXPECT_EQ(&cache.find("/bytes/1?i=2"), route);
  EXPECT_EQ(cache.size(), 1U);
}

TEST(RouteCacheTest, KeepsNoUnknownPath) {
  RouteCache cache;
  EXPECT_EQ(cache.find("/nothing").reply.status, 404);
  EXPECT_EQ(cache.size(), 0U);
}

}  // namespace
}  // namespace hone::traffic::origin
