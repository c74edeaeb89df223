// Lines of text to and from another process over two descriptors: each wait has a limit, each line
// a longest length, and what comes of the other side's end is told apart from an error.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"
#include "system/clock.h"

namespace hone::system {

class LineChannel {
 public:
  // Owns neither; they may be one socket. SIGPIPE must be ignored.
  LineChannel(int in, int out, std::size_t longest) : in_(in), out_(out), longest_(longest) {}

  // The next line without its end; nullopt: the other side has closed, an unfinished line is
  // dropped. kTimeout after `limit`; kIo: a line that is too long, after which nothing more can be
  // read. `look` is asked every 50 ms and ends the wait with its error.
  using Look = std::function<Status()>;
  Result<std::optional<std::string>> read(Duration limit, const Look& look = {});
  // The line and its end. kIo: the other side has closed; kTimeout: it does not read.
  Status write(std::string_view line, Duration limit);

 private:
  const int in_, out_;
  const std::size_t longest_;
  std::string buffer_;
  std::size_t searched_ = 0;  // no end of a line before that
  bool ended_ = false;
};

}  // namespace hone::system
