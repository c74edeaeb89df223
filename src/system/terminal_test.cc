#include "system/terminal.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/ioctl.h>

#include <cstdlib>

#include "system/descriptor.h"

namespace hone::system {
namespace {

TEST(Terminal, AFileIsNone) {
  const Descriptor null(::open("/dev/null", O_RDWR | O_CLOEXEC));
  EXPECT_FALSE(is_terminal(null.fd()));
  EXPECT_FALSE(wants_colour(null.fd()));
  EXPECT_EQ(terminal_width(null.fd()), 80);
}

TEST(Terminal, APseudoTerminalHasWidthAndColour) {
  const Descriptor leader(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC));
  ASSERT_TRUE(leader.open());
  struct winsize size{};
  size.ws_col = 132;
  ASSERT_EQ(::ioctl(leader.fd(), TIOCSWINSZ, &size), 0);
  EXPECT_TRUE(is_terminal(leader.fd()));
  EXPECT_EQ(terminal_width(leader.fd()), 132);
  ::setenv("TERM", "xterm", 1);
  ::unsetenv("NO_COLOR");
  EXPECT_TRUE(wants_colour(leader.fd()));
  ::setenv("NO_COLOR", "", 1);  // empty is as if unset
  EXPECT_TRUE(wants_colour(leader.fd()));
  ::setenv("NO_COLOR", "1", 1);
  EXPECT_FALSE(wants_colour(leader.fd()));
  ::unsetenv("NO_COLOR");
  ::setenv("TERM", "dumb", 1);
  EXPECT_FALSE(wants_colour(leader.fd()));
}

TEST(Terminal, Environment) {
  ::setenv("HONE_TEST_VALUE", "x", 1);
  EXPECT_EQ(environment("HONE_TEST_VALUE"), "x");
  ::unsetenv("HONE_TEST_VALUE");
  EXPECT_EQ(environment("HONE_TEST_VALUE"), "");
}

}  // namespace
}  // namespace hone::system
