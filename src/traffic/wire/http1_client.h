// HTTP/1.1 as a client: one request open at a time, sent straight from its encoded bytes.
#pragma once

#include <string>

#include "traffic/wire/client_session.h"
#include "traffic/wire/http1_response_parser.h"

namespace hone::traffic::wire {

class Http1Request final : public PreparedRequest {
 public:
  explicit Http1Request(const Request& request);
  const std::string& bytes() const { return bytes_; }
  bool head() const { return head_; }

 private:
  std::string bytes_;
  bool head_;
};

class Http1Client final : public ClientSession {
 public:
  explicit Http1Client(ClientEvents* events) : events_(events) {}

  bool ready() const override { return true; }
  int free_slots() const override { return !open_ && !closing_ && unsent_.empty() ? 1 : 0; }
  void submit(std::uint64_t id, const PreparedRequest& request) override;
  Status receive(std::string_view bytes) override;
  void end_of_input() override;
  std::string_view output() override { return unsent_; }
  void consume(std::size_t bytes) override;
  bool closing() const override { return closing_; }
  Failure failure() const override { return failure_; }
  int open_requests() const override { return open_ ? 1 : 0; }
  bool window_blocked() const override { return false; }

 private:
  bool is_blank(std::string_view bytes);
  void complete();
  void close(Failure failure);
  Status violate(Violation violation, Failure failure);

  ClientEvents* events_;
  Http1ResponseParser parser_;
  std::string_view unsent_;  // of the request last submitted
  std::uint64_t id_ = 0;
  std::size_t blank_bytes_ = 0;  // empty lines since the last response
  bool open_ = false;
  bool sent_any_ = false;  // of the open request
  bool closing_ = false;
  Failure failure_ = Failure::kNone;
  Violation violation_ = nullptr;
};

}  // namespace hone::traffic::wire
