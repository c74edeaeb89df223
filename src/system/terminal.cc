#include "system/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>

namespace hone::system {

bool is_terminal(int fd) { return ::isatty(fd) == 1; }

int terminal_width(int fd) {
  // 80 columns are what every terminal since the VT100 can show.
  static constexpr int kDefault = 80;
  struct winsize size{};
  if (::ioctl(fd, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return kDefault;
  return size.ws_col;
}

bool wants_colour(int fd) {
  // https://no-color.org: set and not empty switches colour off.
  return is_terminal(fd) && environment("NO_COLOR").empty() && environment("TERM") != "dumb";
}

std::string environment(const std::string& name) {
  // hone never changes its own environment, so reading it from any thread is safe.
  const char* value = std::getenv(name.c_str());  // NOLINT(concurrency-mt-unsafe)
  return value == nullptr ? "" : value;
}

}  // namespace hone::system
