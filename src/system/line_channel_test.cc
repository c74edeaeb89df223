#include "system/line_channel.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <thread>

#include "system/descriptor.h"

namespace hone::system {
namespace {

// Of a wait that must not come to its end.
constexpr auto kLong = std::chrono::seconds(10);

class LineChannelTest : public testing::Test {
 protected:
  void SetUp() override {
    std::signal(SIGPIPE, SIG_IGN);
    std::array<int, 2> ends{};
    ASSERT_EQ(0, ::pipe(ends.data()));
    in_ = Descriptor(ends[0]);
    out_ = Descriptor(ends[1]);
  }
  void put(std::string_view text) {
    ASSERT_EQ(static_cast<ssize_t>(text.size()), ::write(out_.fd(), text.data(), text.size()));
  }
  Descriptor in_, out_;
};

TEST_F(LineChannelTest, LinesComeOneByOneAndThenTheEnd) {
  LineChannel channel(in_.fd(), -1, 100);
  put("one\n\ntw");
  EXPECT_EQ("one", channel.read(kLong)->value());
  EXPECT_EQ("", channel.read(kLong)->value());
  put("o\nunfinished");
  EXPECT_EQ("two", channel.read(kLong)->value());
  out_.close();
  const auto end = channel.read(kLong);
  ASSERT_TRUE(end);
  EXPECT_FALSE(*end);
}

TEST_F(LineChannelTest, AWaitEndsAtItsLimitOrAtALook) {
  LineChannel channel(in_.fd(), -1, 100);
  EXPECT_EQ(ErrorKind::kTimeout, channel.read(std::chrono::milliseconds(1)).error().kind);
  const auto looked =
      channel.read(kLong, [] { return Status(fail(ErrorKind::kInterrupted, "interrupted")); });
  EXPECT_EQ(ErrorKind::kInterrupted, looked.error().kind);
  put("still there\n");
  EXPECT_EQ("still there", channel.read(kLong)->value());
}

TEST_F(LineChannelTest, ALineWithoutEndIsRefusedAndNotKept) {
  LineChannel channel(in_.fd(), -1, 10);
  put("0123456789\n");
  EXPECT_EQ("0123456789", channel.read(kLong)->value());
  put("0123456789a\n");
  EXPECT_EQ(ErrorKind::kIo, channel.read(kLong).error().kind);
}

TEST_F(LineChannelTest, WhatIsWrittenIsReadHoweverLong) {
  const std::string text(1 << 20, 'x');  // more than a pipe holds
  std::thread writer([&] {
    LineChannel channel(-1, out_.fd(), 0);
    EXPECT_TRUE(channel.write(text, kLong));
  });
  LineChannel channel(in_.fd(), -1, 2 << 20);
  EXPECT_EQ(text, channel.read(kLong)->value());
  writer.join();
}

TEST_F(LineChannelTest, NobodyReadingIsAnError) {
  LineChannel channel(-1, out_.fd(), 0);
  EXPECT_EQ(ErrorKind::kTimeout,
            channel.write(std::string(1 << 20, 'x'), std::chrono::milliseconds(10)).error().kind);
  in_.close();
  EXPECT_EQ(ErrorKind::kIo, channel.write("x", kLong).error().kind);
}

}  // namespace
}  // namespace hone::system
