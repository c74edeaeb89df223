// A request as a server of HTTP/2 or HTTP/3 collects it, field by field, and the body of its
// answer: what both do alike, whatever frames it comes and goes in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "traffic/wire/server_session.h"

namespace hone::traffic::wire {

// Request bodies that one connection has here: it could open every stream that it may, and end
// none.
class BodyBudget {
 public:
  explicit BodyBudget(std::size_t body_limit) : body_limit_(body_limit) {}
  // `more` on top of the `so_far` of one body; false, and nothing is taken, above a limit.
  bool take(std::size_t so_far, std::size_t more);
  void give_back(std::size_t bytes) { taken_ -= bytes; }

 private:
  const std::size_t body_limit_;
  std::size_t taken_ = 0;
};

std::uint64_t body_length(const Reply& reply);
bool tells_length(const Reply& reply);  // by a content-length

struct ServerExchange {  // used again for later requests, with its memory
  std::string method, path, authority, body;
  std::vector<Header> headers;  // the first header_count belong to this request
  std::size_t header_count = 0;
  std::uint64_t body_bytes = 0;  // that came, kept or not
  bool keeps_body = true;
  bool expects_continue = false;
  bool delivered = false;  // on_request was called
  bool answered = false;   // or refused, or lost
  bool close_after = false;

  std::string text;          // the answer's body, when it is not filler
  std::uint64_t length = 0;  // of either
  std::uint64_t sent = 0;
  std::vector<Header> trailers;

  void restart();
  void add_field(std::string_view name, std::string_view value);
  bool add_body(std::string_view data, BodyBudget* budget);  // false: refuse the request
  void give_back_body(BodyBudget* budget);
  RequestView request();
  void answer(const Reply& reply);
  bool has_answer_body() const { return length > 0 || !trailers.empty(); }
};

struct AnswerTexts {  // made for the head of one answer
  std::string status, length;
};
// Calls add(name, value) for each field of an answer's head, in order; `date` may be empty. The
// texts lie in what was handed in.
template <typename Add>
void for_each_answer_field(const Reply& reply, std::string_view date, AnswerTexts* texts, Add add) {
  texts->status = std::to_string(reply.status);
  add(":status", texts->status);
  if (!date.empty()) add("date", date);
  for (const Header& header : reply.headers) add(header.name, header.value);
  if (!tells_length(reply)) return;
  texts->length = std::to_string(body_length(reply));
  add("content-length", texts->length);
}

}  // namespace hone::traffic::wire
