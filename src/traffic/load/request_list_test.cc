#include "traffic/load/request_list.h"

#include <gtest/gtest.h>

namespace hone::traffic::load {
namespace {

wire::Request base_request() {
  wire::Request base;
  base.authority = "a.test";
  base.path = "/base";
  base.headers = {{"accept", "*/*"}, {"x-base", "1"}};
  return base;
}

TEST(RequestListTest, EntriesSayWhatDiffersFromTheBase) {
  const auto list = parse_request_list(
      "# a mix\n"
      "{}\n"
      "\n"
      R"({"method": "POST", "path": "/up", "body_size": 30, "share": 2.5, "name": "upload"})"
      "\r\n"
      R"(  {"headers": {"Accept": ["text/html", "a/b"], "Host": "b.test"}, "body": "text"})",
      "mix.jsonl", base_request());
  ASSERT_TRUE(list) << describe(list.error());
  ASSERT_EQ(3U, list->size());
  const wire::Request& plain = (*list)[0].request;
  EXPECT_EQ("GET", plain.method);
  EXPECT_EQ("/base", plain.path);
  EXPECT_EQ(base_request().headers, plain.headers);
  EXPECT_DOUBLE_EQ(1, (*list)[0].share);
  const RequestShare& upload = (*list)[1];
  EXPECT_EQ("upload", upload.name);
  EXPECT_EQ("POST", upload.request.method);
  EXPECT_EQ("/up", upload.request.path);
  EXPECT_EQ("abcdefghijklmnopqrstuvwxyzabcd", upload.request.body);
  EXPECT_DOUBLE_EQ(2.5, upload.share);
  const wire::Request& other = (*list)[2].request;
  EXPECT_EQ("b.test", other.authority);
  EXPECT_EQ("text", other.body);
  EXPECT_EQ(
      (std::vector<wire::Header>{{"x-base", "1"}, {"accept", "text/html"}, {"accept", "a/b"}}),
      other.headers);
}

TEST(RequestListTest, WhatCannotBeSentIsRefusedWithItsLine) {
  const auto error_of = [](const std::string& line) {
    const auto list = parse_request_list("{}\n" + line + "\n", "mix.jsonl", base_request());
    EXPECT_FALSE(list) << line;
    if (list) return std::string();
    EXPECT_EQ(ErrorKind::kUsage, list.error().kind);
    EXPECT_TRUE(list.error().what.starts_with("mix.jsonl:2: ")) << list.error().what;
    return list.error().what + " " + list.error().next;
  };
  const auto expect = [&](const char* line, const char* text) {
    EXPECT_NE(std::string::npos, error_of(line).find(text)) << line << ": " << error_of(line);
  };
  expect(R"({"path": "/a")", "not a JSON object");
  expect(R"([1])", "not a JSON object");
  expect(R"({"paths": "/a"})", "did you mean path");
  expect(R"({"path": 3})", "must be a text");
  expect(R"({"path": "a"})", "does not begin with '/'");
  expect(R"({"path": "/a b"})", "%20");
  expect(R"({"path": "/a\r\nx: y"})", "control character");
  expect(R"({"method": "GET /x"})", "not a method");
  expect(R"({"method": "CONNECT"})", "tunnel");
  expect(R"({"headers": ["a: b"]})", "must be an object");
  expect(R"({"headers": {"a b": "c"}})", "not a header name");
  expect(R"({"headers": {"a": "b\r\nc: d"}})", "control character");
  expect(R"({"headers": {"a": 1}})", "must be a text");
  expect(R"({"headers": {"host": ""}})", "not a host");
  expect(R"({"share": 0})", "above zero");
  expect(R"({"share": "1"})", "above zero");
  expect(R"({"body_size": -1})", "from 0 to");
  expect(R"({"body_size": 1.5})", "from 0 to");
  expect(R"({"body_size": 1073741825})", "from 0 to");
  expect(R"({"body": "a", "body_size": 1})", "one of them");
}

TEST(RequestListTest, AnEmptyOrEndlessListIsRefused) {
  EXPECT_FALSE(parse_request_list("", "m", base_request()));
  EXPECT_FALSE(parse_request_list("# nothing\n\n", "m", base_request()));
  std::string many;
  for (std::size_t i = 0; i < kMostRequests; ++i) many += "{}\n";
  EXPECT_TRUE(parse_request_list(many, "m", base_request()));
  const auto more = parse_request_list(many + "{}\n", "m", base_request());
  ASSERT_FALSE(more);
  EXPECT_EQ("m:10001: more than 10000 requests", more.error().what);
  EXPECT_FALSE(parse_request_list(R"({"body": ")" + std::string(1 << 20, 'x') + R"("})", "m",
                                  base_request()));
}

TEST(RequestListTest, BodiesAreBoundedInAll) {
  const auto list =
      parse_request_list("{\"body_size\": 1}\n{\"body_size\": 1073741824}", "m", base_request());
  ASSERT_FALSE(list);
  EXPECT_TRUE(list.error().what.starts_with("m:2: with this one the bodies"));
}

TEST(RequestListTest, HeadersOfACommandLine) {
  const auto header = parse_header("X-Kind:  photo ");
  ASSERT_TRUE(header);
  EXPECT_EQ((wire::Header{"x-kind", "photo"}), *header);
  EXPECT_FALSE(parse_header("no colon"));
  EXPECT_FALSE(parse_header(": value"));
}

}  // namespace
}  // namespace hone::traffic::load
