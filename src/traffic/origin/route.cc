// The grammar is a few words and numbers, so a cursor over the path does; no pattern library, no
// allocation before the reply itself.
#include "traffic/origin/route.h"

#include <charconv>
#include <optional>

#include "base/random.h"
#include "traffic/wire/grpc.h"

namespace hone::traffic::origin {
namespace {

// Bounds keep one request from taking the origin's memory or time; each is far above what any shape
// asks for. Bodies are made as they leave, so their bound is only a sane content-length.
constexpr std::uint64_t kMaxBodyBytes = 1ULL << 40;
constexpr std::uint64_t kMaxHeaders = 1000;
constexpr std::uint64_t kMaxHeaderBytes = 1 << 20;  // of all values together
constexpr std::uint64_t kMaxDelayMs = 60'000;
constexpr std::uint64_t kMaxSpinTurns = 10'000'000;  // some 20 ms
constexpr std::uint64_t kMaxEarlyHints = 100;

// A benchmark asks for a handful of paths; more than this is somebody walking through numbers.
constexpr std::size_t kMaxCached = 256;
constexpr std::size_t kMaxCachedHeaders = 256;

class Cursor {
 public:
  explicit Cursor(std::string_view path) : rest_(path) {}

  bool word(std::string_view wanted) {
    const std::string_view found = segment();
    if (found != wanted) return false;
    take(found);
    return true;
  }

  std::optional<std::uint64_t> number(std::uint64_t max) {
    const std::string_view found = segment();
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(found.data(), found.data() + found.size(), value);
    if (found.empty() || error != std::errc() || end != found.data() + found.size()) return {};
    if (value > max) return {};
    take(found);
    return value;
  }

  bool at_end() const { return rest_.empty(); }
  void take_all() { rest_ = {}; }

 private:
  // The text after the next '/', up to the one after it.
  std::string_view segment() const {
    if (rest_.empty() || rest_[0] != '/') return {};
    return rest_.substr(1, rest_.find('/', 1) - 1);
  }
  void take(std::string_view segment) { rest_.remove_prefix(1 + segment.size()); }

  std::string_view rest_;
};

std::string_view without_query(std::string_view target) {
  return target.substr(0, target.find('?'));
}

Route plain(int status) {
  Route route;
  route.reply.status = status;
  route.reply.headers = {{"content-type", "text/plain"}};
  return route;
}

Route not_found() {
  Route route = plain(404);
  route.reply.body = "hone's origin has no such path, or a number in it is out of bounds\n";
  return route;
}

// Values of letters and digits, different in every header and the same in every run.
std::vector<wire::Header> long_headers(std::uint64_t count, std::uint64_t length) {
  constexpr std::string_view kAlphabet = "abcdefghijklmnopqrstuvwxyz0123456789";
  std::vector<wire::Header> headers;
  for (std::uint64_t i = 0; i < count; ++i) {
    Random random(i);
    wire::Header header{"x-origin-" + std::to_string(i), {}};
    header.value.reserve(length);
    while (header.value.size() < length) header.value += kAlphabet[random.below(kAlphabet.size())];
    headers.push_back(std::move(header));
  }
  return headers;
}

std::optional<Route> body_route(Cursor* path, wire::Framing framing) {
  const auto bytes = path->number(kMaxBodyBytes);
  if (!bytes) return {};
  Route route = plain(200);
  route.reply.body_length = *bytes;
  route.reply.framing = framing;
  return route;
}

std::optional<Route> bytes_route(Cursor* path) { return body_route(path, wire::Framing::kLength); }

std::optional<Route> close_route(Cursor* path) { return body_route(path, wire::Framing::kClose); }

std::optional<Route> chunked_route(Cursor* path) {
  auto route = body_route(path, wire::Framing::kChunked);
  if (route && path->word("trailers")) route->reply.trailers = {{"x-origin-trailer", "end"}};
  return route;
}

std::optional<Route> headers_route(Cursor* path) {
  const auto count = path->number(kMaxHeaders);
  if (!count) return {};
  const auto length = path->number(kMaxHeaderBytes / std::max<std::uint64_t>(*count, 1));
  if (!length) return {};
  Route route = plain(200);
  for (wire::Header& header : long_headers(*count, *length)) {
    route.reply.headers.push_back(std::move(header));
  }
  return route;
}

std::optional<Route> delay_route(Cursor* path) {
  const auto delay = path->number(kMaxDelayMs);
  if (!delay || !path->word("bytes")) return {};
  auto route = bytes_route(path);
  if (route) route->delay = std::chrono::milliseconds(*delay);
  return route;
}

std::optional<Route> spin_route(Cursor* path) {
  const auto turns = path->number(kMaxSpinTurns);
  if (!turns || !path->word("bytes")) return {};
  auto route = bytes_route(path);
  if (route) route->spin_turns = *turns;
  return route;
}

std::optional<Route> status_route(Cursor* path) {
  const auto status = path->number(599);
  if (!status || *status < 200) return {};  // 1xx is no final answer
  return plain(static_cast<int>(*status));
}

std::optional<Route> early_hints_route(Cursor* path) {
  const auto hints = path->number(kMaxEarlyHints);
  if (!hints) return {};
  Route route = plain(200);
  route.reply.early_hints = static_cast<int>(*hints);
  return route;
}

Route with_body(Route::Body body, const char* type) {
  Route route;
  route.reply.headers = {{"content-type", type}};
  route.body = body;
  return route;
}

std::optional<Route> echo_route(Cursor*) {
  return with_body(Route::Body::kEcho, "application/octet-stream");
}

std::optional<Route> counters_route(Cursor*) {
  return with_body(Route::Body::kCounters, "application/json");
}

// A trailers-only answer is one head without a body, so its status stands among the headers.
wire::Reply grpc_reply() {
  wire::Reply reply;
  reply.headers = {{"content-type", "application/grpc"}};
  reply.framing = wire::Framing::kChunked;  // no content-length
  return reply;
}

std::optional<Route> grpc_route(Cursor* path) {
  Route route;
  if (path->word("status")) {
    const auto status = path->number(wire::kGrpcMostStatus);
    if (!status) return {};
    route.reply = grpc_trailers_only(static_cast<int>(*status));
    return route;
  }
  path->take_all();  // any service and method
  route.reply = grpc_reply();
  route.reply.trailers = {{"grpc-status", "0"}};
  route.body = Route::Body::kGrpcEcho;
  return route;
}

struct Word {
  std::string_view name;
  std::optional<Route> (*route)(Cursor* rest);
};
constexpr Word kWords[] = {
    {"bytes", bytes_route},   {"headers", headers_route},
    {"delay", delay_route},   {"spin", spin_route},
    {"status", status_route}, {"chunked", chunked_route},
    {"close", close_route},   {"early-hints", early_hints_route},
    {"echo", echo_route},     {"stats", counters_route},
    {"grpc", grpc_route},
};

}  // namespace

wire::Reply grpc_trailers_only(int status) {
  wire::Reply reply = grpc_reply();
  reply.headers.push_back({"grpc-status", std::to_string(status)});
  return reply;
}

Route parse_route(std::string_view target) {
  Cursor cursor(without_query(target));
  for (const Word& word : kWords) {
    if (!cursor.word(word.name)) continue;
    auto route = word.route(&cursor);
    if (route && cursor.at_end()) return *std::move(route);
    break;
  }
  return not_found();
}

// The query is no part of the key: one that differs in every request would fill the cache.
const Route& RouteCache::find(std::string_view target) {
  const std::string_view path = without_query(target);
  if (const auto known = routes_.find(path); known != routes_.end()) return known->second;
  uncached_ = parse_route(path);
  if (routes_.size() >= kMaxCached || uncached_.reply.headers.size() > kMaxCachedHeaders ||
      uncached_.reply.status == 404) {
    return uncached_;
  }
  return routes_.emplace(path, std::move(uncached_)).first->second;
}

}  // namespace hone::traffic::origin
