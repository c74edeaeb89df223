// A small HTTP/1.1 client for readiness checks and counters. It blocks, so it waits in short steps
// and looks at interrupts between them. The load's own parser is not used here: it lies in a layer
// above, and this one has to understand only what health and counter pages send.
#include <poll.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>

#include "base/text.h"
#include "system/clock.h"
#include "system/interrupt.h"
#include "system/net/socket.h"
#include "system/os_error.h"

namespace hone::system::net {
namespace {

constexpr std::size_t kBodyLimit = 16 << 20;  // the header's promise
constexpr std::size_t kHeadLimit = 1 << 20;   // no counter page has more; keeps memory bounded

// How soon Ctrl-C is noticed at the latest.
constexpr auto kStep = std::chrono::milliseconds(50);

Instant now() { return std::chrono::steady_clock::now(); }

// Waits until `events` or the limit; an empty text or why it gave up.
std::string wait_for(const Socket& socket, short events, Instant limit) {
  while (true) {
    if (interrupted()) return "interrupted";
    const Duration left = limit - now();
    if (left <= Duration::zero()) return "no answer in time";
    pollfd entry{socket.fd(), events, 0};
    const auto step = std::min<Duration>(kStep, left);
    const auto wait = std::chrono::ceil<std::chrono::milliseconds>(step);
    if (::poll(&entry, 1, static_cast<int>(wait.count())) > 0) return "";
  }
}

// A connection that is up, or the reason why not.
std::string connect_within(const Address& address, Instant limit, Socket* socket) {
  Result<Socket> started = connect_start(address);
  if (!started) return started.error().what;
  if (std::string why = wait_for(*started, POLLOUT, limit); !why.empty()) return why;
  if (Status up = connect_result(*started); !up) return up.error().what;
  *socket = std::move(*started);
  return "";
}

std::string send_all(const Socket& socket, std::string_view bytes, Instant limit) {
  while (!bytes.empty()) {
    const Io io = write_some(socket.fd(), bytes);
    if (io.state == IoState::kFailed) return os_message(io.error);
    if (io.state == IoState::kWouldBlock) {
      if (std::string why = wait_for(socket, POLLOUT, limit); !why.empty()) return why;
    }
    bytes.remove_prefix(io.bytes);
  }
  return "";
}

struct Head {
  int status = 0;
  std::size_t size = 0;  // of the head in bytes, the empty line included
  bool chunked = false;
  bool has_length = false;
  std::size_t length = 0;
};

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  return result;
}

// False when `text` does not begin with a response head.
bool parse_head(std::string_view text, std::size_t end, Head* head) {
  head->size = end + 4;
  if (!text.starts_with("HTTP/1.") || end < 12) return false;
  if (std::from_chars(text.data() + 9, text.data() + 12, head->status).ptr != text.data() + 12) {
    return false;
  }
  for (const std::string& line : split(text.substr(0, end), '\n')) {
    const std::size_t colon = line.find(':');
    if (colon == std::string::npos) continue;
    const std::string field = lower(trim(std::string_view(line).substr(0, colon)));
    const std::string value = lower(trim(std::string_view(line).substr(colon + 1)));
    if (field == "transfer-encoding") head->chunked = value.find("chunked") != std::string::npos;
    if (field == "content-length") {
      const Result<long long> length = parse_integer(value);
      if (!length || *length < 0) return false;
      head->has_length = true;
      head->length = static_cast<std::size_t>(*length);
    }
  }
  return true;
}

enum class Parse { kWhole, kMore, kBroken };

Parse parse_chunks(std::string_view text, std::string* body) {
  body->clear();
  while (true) {
    const std::size_t end = text.find("\r\n");
    if (end == std::string_view::npos) return Parse::kMore;
    std::size_t size = 0;
    const char* const begin = text.data();
    const auto [stop, code] = std::from_chars(begin, begin + end, size, 16);
    if (code != std::errc() || stop == begin || size > kBodyLimit) return Parse::kBroken;
    text.remove_prefix(end + 2);
    if (size == 0) return Parse::kWhole;  // trailers are of no interest
    if (text.size() < size + 2) return Parse::kMore;
    body->append(text.substr(0, size));
    text.remove_prefix(size + 2);
  }
}

// The reply in what has come so far; `ended`: nothing more will come.
Parse parse_reply(std::string_view text, bool ended, bool head_only, HttpReply* reply) {
  while (true) {
    const std::size_t end = text.find("\r\n\r\n");
    if (end == std::string_view::npos)
      return text.size() > kHeadLimit ? Parse::kBroken : Parse::kMore;
    Head head;
    if (!parse_head(text, end, &head)) return Parse::kBroken;
    text.remove_prefix(head.size);
    if (head.status >= 100 && head.status < 200) continue;  // the final one follows
    reply->status = head.status;
    if (head_only || head.status == 204 || head.status == 304) return Parse::kWhole;
    if (head.chunked) return parse_chunks(text, &reply->body);
    if (head.has_length) {
      if (head.length > kBodyLimit) return Parse::kBroken;
      if (text.size() < head.length) return Parse::kMore;
      reply->body = text.substr(0, head.length);
      return Parse::kWhole;
    }
    reply->body = text;
    return ended ? Parse::kWhole : Parse::kMore;
  }
}

HttpReply failed(std::string why) {
  HttpReply reply;
  reply.error = std::move(why);
  return reply;
}

}  // namespace

HttpReply http_exchange(const std::string& method, const Address& address, const std::string& path,
                        double limit_s) {
  const Instant limit = now() + seconds(limit_s);
  Socket socket;
  if (std::string why = connect_within(address, limit, &socket); !why.empty()) return failed(why);
  const std::string host = address.port == 0 ? "localhost" : to_string(address);
  const std::string request = method + " " + path + " HTTP/1.1\r\nHost: " + host +
                              "\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";
  if (std::string why = send_all(socket, request, limit); !why.empty()) return failed(why);

  std::string text;
  std::array<char, 65536> buffer;
  bool ended = false;
  while (true) {
    HttpReply reply;
    const Parse outcome = parse_reply(text, ended, method == "HEAD", &reply);
    if (outcome == Parse::kWhole) return reply;
    if (outcome == Parse::kBroken) return failed("the answer is not HTTP/1.1 or is too long");
    if (ended) return failed(text.empty() ? "closed without an answer" : "closed in mid-answer");
    if (text.size() > kBodyLimit + kHeadLimit) return failed("the answer is too long");
    const Io io = read_some(socket.fd(), buffer.data(), buffer.size());
    if (io.state == IoState::kFailed) return failed(os_message(io.error));
    if (io.state == IoState::kEnded) ended = true;
    if (io.state == IoState::kMoved) text.append(buffer.data(), io.bytes);
    if (io.state == IoState::kWouldBlock) {
      if (std::string why = wait_for(socket, POLLIN, limit); !why.empty()) return failed(why);
    }
  }
}

bool tcp_accepts(const Address& address, double limit_s) {
  Socket socket;
  return connect_within(address, now() + seconds(limit_s), &socket).empty();
}

}  // namespace hone::system::net
