#include "system/line_channel.h"

#include <limits.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "system/os_error.h"

namespace hone::system {
namespace {

using std::chrono::steady_clock;

// How soon a look is taken at what else may end a wait.
constexpr int kLookMs = 50;

// A result with its histograms is some ten kilobytes.
constexpr std::size_t kReadBytes = 64 << 10;

Error channel_failure(ErrorKind kind, const std::string& what) { return fail(kind, what).value(); }

// Waits a little for the events. False: not yet.
Result<bool> poll_once(int fd, short events, Instant end) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - steady_clock::now());
  if (left.count() < 0) {
    return tl::make_unexpected(channel_failure(ErrorKind::kTimeout, "no line in time"));
  }
  pollfd waited{fd, events, 0};
  const int ready = ::poll(&waited, 1, static_cast<int>(std::min<long>(kLookMs, left.count())));
  if (ready < 0 && errno != EINTR) {
    return tl::make_unexpected(channel_failure(
        ErrorKind::kIo, std::string("cannot wait for a line: ") + os_message(errno)));
  }
  return ready > 0;
}

}  // namespace

Result<std::optional<std::string>> LineChannel::read(Duration limit, const Look& look) {
  const Instant end = steady_clock::now() + limit;
  while (true) {
    const std::size_t at = buffer_.find('\n', searched_);
    if (std::min(at, buffer_.size()) > longest_) {
      return fail(ErrorKind::kIo, "a line of more than " + std::to_string(longest_) + " bytes");
    }
    if (at != std::string::npos) {
      std::string line = buffer_.substr(0, at);
      buffer_.erase(0, at + 1);
      searched_ = 0;
      return line;
    }
    searched_ = buffer_.size();
    if (ended_) return std::nullopt;
    if (look) HONE_CHECK(look());
    HONE_TRY(const bool ready, poll_once(in_, POLLIN, end));
    if (!ready) continue;
    const std::size_t before = buffer_.size();
    buffer_.resize(before + kReadBytes);
    const ssize_t got = ::read(in_, buffer_.data() + before, kReadBytes);
    const int error = errno;
    buffer_.resize(before + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    if (got == 0) ended_ = true;
    if (got >= 0 || error == EINTR || error == EAGAIN) continue;
    if (error != ECONNRESET) {
      return fail(ErrorKind::kIo, std::string("cannot read a line: ") + os_message(error));
    }
    ended_ = true;
  }
}

Status LineChannel::write(std::string_view line, Duration limit) {
  const Instant end = steady_clock::now() + limit;
  std::string text(line);
  text += '\n';
  for (std::string_view left = text; !left.empty();) {
    HONE_TRY(const bool ready, poll_once(out_, POLLOUT, end));
    if (!ready) continue;
    // A pipe that poll() calls writable takes this much without waiting (pipe(7)).
    const ssize_t put = ::write(out_, left.data(), std::min<std::size_t>(left.size(), PIPE_BUF));
    if (put >= 0) {
      left.remove_prefix(static_cast<std::size_t>(put));
    } else if (errno != EINTR && errno != EAGAIN) {
      return fail(ErrorKind::kIo, std::string("cannot write a line: ") + os_message(errno));
    }
  }
  return {};
}

}  // namespace hone::system
