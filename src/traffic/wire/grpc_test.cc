#include "traffic/wire/grpc.h"

#include <gtest/gtest.h>

namespace hone::traffic::wire {
namespace {

bool one_message(std::string_view bytes, std::size_t piece) {
  GrpcReader reader;
  for (; !bytes.empty(); bytes.remove_prefix(std::min(piece, bytes.size()))) {
    reader.take(bytes.substr(0, piece));
  }
  return reader.has_one_message();
}

TEST(Grpc, FramesAMessage) {
  EXPECT_EQ(grpc_message(""), std::string(5, '\0'));
  EXPECT_EQ(grpc_message("abc"), std::string("\0\0\0\0\3abc", 8));
  const std::string large = grpc_message(std::string(0x010203, 'x'));
  EXPECT_EQ(large.substr(0, 5), std::string("\0\0\1\2\3", 5));
  EXPECT_EQ(large.size(), 5U + 0x010203);
}

TEST(Grpc, TellsOneMessageFromNoneAndSeveralAtAnySplit) {
  const std::string empty = grpc_message("");
  const std::string some = grpc_message(std::string(300, 'm'));
  for (const std::size_t piece : {1, 2, 3, 5, 7, 1000}) {
    SCOPED_TRACE(piece);
    EXPECT_TRUE(one_message(empty, piece));
    EXPECT_TRUE(one_message(some, piece));
    EXPECT_FALSE(one_message("", piece));
    for (std::size_t size = 1; size < some.size(); ++size) {
      ASSERT_FALSE(one_message(some.substr(0, size), piece)) << size;
    }
    EXPECT_FALSE(one_message(some + empty, piece));
    EXPECT_FALSE(one_message(empty + some, piece));
    EXPECT_FALSE(one_message(empty + std::string(1, '\0'), piece));
    EXPECT_FALSE(one_message("\1" + some.substr(1), piece));  // compressed
  }
}

TEST(Grpc, MakesACallOfARequest) {
  Request request;
  request.path = "/package.Service/Method";
  request.headers = {{"content-type", "text/plain"}, {"te", "gzip"}, {"x", "y"}};
  request.body = "abc";
  const Request call = grpc_request(request);
  EXPECT_EQ(call.method, "POST");
  EXPECT_EQ(call.path, request.path);
  EXPECT_EQ(
      call.headers,
      (std::vector<Header>{{"x", "y"}, {"content-type", "application/grpc"}, {"te", "trailers"}}));
  EXPECT_EQ(call.body, grpc_message("abc"));
}

TEST(Grpc, ReadsAStatus) {
  EXPECT_EQ(parse_grpc_status("0"), 0);
  EXPECT_EQ(parse_grpc_status("14"), 14);
  EXPECT_EQ(parse_grpc_status("16"), 16);
  for (const char* text : {"", "17", "-1", "1x", "014", "99999999999"}) {
    EXPECT_EQ(parse_grpc_status(text), kGrpcUnknown) << text;
  }
}

}  // namespace
}  // namespace hone::traffic::wire
