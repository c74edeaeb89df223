#include "system/supervision.h"

#include <gmock/gmock.h>

namespace hone::system {
namespace {

TEST(Order, ArrivesAsItWasWhateverBytesItHolds) {
  std::string every_byte;
  for (int byte = 1; byte < 256; ++byte) every_byte += static_cast<char>(byte);
  Order order;
  order.argv = {"x", "", every_byte, "two\nlines"};
  order.env = {{"A", every_byte}};
  order.cwd = "/tmp/\xe4";
  order.output = "/tmp/out";
  order.cpus = {0, 3};
  order.user = "nobody";
  order.own_cgroup = true;
  order.stderr_pipe = true;
  order.stdin_pipe = true;
  const std::string line = to_line(order);
  EXPECT_EQ(line.find('\n'), line.size() - 1);
  const auto back = order_from(line);
  ASSERT_TRUE(back) << back.error().what;
  EXPECT_EQ(back->argv, order.argv);
  EXPECT_EQ(back->env, order.env);
  EXPECT_EQ(back->cwd, order.cwd);
  EXPECT_EQ(back->output, order.output);
  EXPECT_EQ(back->cpus, order.cpus);
  EXPECT_EQ(back->user, order.user);
  EXPECT_TRUE(back->own_cgroup);
  EXPECT_FALSE(back->stdout_pipe);
  EXPECT_TRUE(back->stderr_pipe);
  EXPECT_TRUE(back->stdin_pipe);
}

TEST(Order, ABrokenLineIsAnError) {
  EXPECT_FALSE(order_from("{}"));
  EXPECT_FALSE(order_from("nonsense"));
}

TEST(Reports, AnErrorKeepsKindAndAdvice) {
  const std::string line = to_line(Error{ErrorKind::kToolMissing, "no \xff", {}, "install it", {}});
  const auto json = parse_json(line, "line");
  ASSERT_TRUE(json);
  const Error error = error_from((*json)["error"]);
  EXPECT_EQ(error.kind, ErrorKind::kToolMissing);
  EXPECT_THAT(error.what, testing::StartsWith("no "));
  EXPECT_EQ(error.next, "install it");
}

TEST(LineBuffer, GivesWholeLinesOnly) {
  LineBuffer lines;
  lines.add("a");
  EXPECT_FALSE(lines.next());
  lines.add("b\n\nc");
  EXPECT_EQ(lines.next(), "ab");
  EXPECT_EQ(lines.next(), "");
  EXPECT_FALSE(lines.next());
}

}  // namespace
}  // namespace hone::system
