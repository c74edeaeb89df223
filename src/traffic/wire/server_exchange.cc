#include "traffic/wire/server_exchange.h"

#include "traffic/wire/http1_syntax.h"

namespace hone::traffic::wire {
namespace {

// Of a connection, in units of the body limit.
constexpr std::size_t kMostBodiesAtOnce = 4;

// Above this, a body's memory is given back after its request, as on HTTP/1.
constexpr std::size_t kKeptTextBytes = 256 << 10;

void empty(std::string* text) {
  if (text->capacity() > kKeptTextBytes) std::string().swap(*text);
  text->clear();
}

bool has_no_body(const Reply& reply) { return reply.status == 204 || reply.status == 304; }

}  // namespace

bool BodyBudget::take(std::size_t so_far, std::size_t more) {
  if (so_far + more > body_limit_ || taken_ + more > kMostBodiesAtOnce * body_limit_) return false;
  taken_ += more;
  return true;
}

void ServerExchange::restart() {
  method.clear();
  path.clear();
  authority.clear();
  header_count = 0;
  body_bytes = 0;
  keeps_body = true;
  expects_continue = delivered = answered = close_after = false;
  empty(&text);
  length = sent = 0;
  trailers.clear();
}

void ServerExchange::add_field(std::string_view name, std::string_view value) {
  if (name.starts_with(':')) {
    if (name == ":method") method.assign(value);
    if (name == ":path") path.assign(value);
    if (name == ":authority") authority.assign(value);
    return;
  }
  if (name == "host") {
    if (authority.empty()) authority.assign(value);
    return;
  }
  if (name == "expect" && equals_lower(value, "100-continue")) expects_continue = true;
  if (header_count == headers.size()) headers.emplace_back();
  Header& header = headers[header_count++];
  header.name.assign(name);
  header.value.assign(value);
}

bool ServerExchange::add_body(std::string_view data, BodyBudget* budget) {
  body_bytes += data.size();
  if (answered || !keeps_body) return true;
  if (!budget->take(body.size(), data.size())) return false;
  body.append(data);
  return true;
}

void ServerExchange::give_back_body(BodyBudget* budget) {
  budget->give_back(body.size());
  empty(&body);
}

RequestView ServerExchange::request() {
  headers.resize(header_count);
  RequestView view;
  view.method = method;
  view.path = path;
  view.authority = authority;
  view.headers = &headers;
  view.body = body;
  view.body_bytes = body_bytes;
  return view;
}

void ServerExchange::answer(const Reply& reply) {
  answered = true;
  close_after = reply.close || reply.framing == Framing::kClose;
  const bool has_body = method != "HEAD" && !has_no_body(reply);
  text.assign(has_body ? std::string_view(reply.body) : std::string_view());
  length = has_body ? body_length(reply) : 0;
  trailers.clear();
  if (has_body) trailers = reply.trailers;
}

std::uint64_t body_length(const Reply& reply) {
  return reply.body.empty() ? reply.body_length : reply.body.size();
}

bool tells_length(const Reply& reply) {
  return reply.framing == Framing::kLength && !has_no_body(reply);
}

}  // namespace hone::traffic::wire
