// HTTP/1.1 as a server: pipelined requests, answers at any time and in any order, sent in the order
// of the requests; large bodies made as they leave. Also recognises the preface of HTTP/2 with
// prior knowledge and hands the connection over to an HTTP/2 session.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "traffic/wire/http1_answer.h"
#include "traffic/wire/http1_request_parser.h"
#include "traffic/wire/output_buffer.h"
#include "traffic/wire/server_session.h"

namespace hone::traffic::wire {

class Http1Server final : public ServerSession {
 public:
  Http1Server(ServerEvents* events, std::size_t body_limit);

  bool respond(std::uint64_t stream, const Reply& reply) override;
  Status receive(std::string_view bytes) override;
  void end_of_input() override;
  std::string_view output() override;
  void consume(std::size_t bytes) override;
  bool finished() const override;

 private:
  struct Exchange {
    Http1Asked asked;
    Http1Answer answer;
    std::string front;  // of an answer that came before its turn
    bool answered = false;
    bool begun = false;  // its front is in out_
  };

  Status receive_requests(std::string_view bytes);
  std::uint64_t open_exchange(const Http1Asked& asked);
  Exchange& exchange(std::uint64_t stream) { return ring_[stream & (ring_.size() - 1)]; }
  Status refuse(int status, Violation violation);
  // Moves answers to out_ while it is their turn and not enough is ahead.
  void advance();
  bool fill(Exchange& front);
  void end_after_front();

  ServerEvents* events_;
  const std::size_t body_limit_;
  Http1RequestParser parser_;
  std::unique_ptr<ServerSession> http2_;  // after the preface of HTTP/2
  std::string undecided_;                 // first bytes that may yet become that preface
  bool decided_ = false;

  // Exchanges first_ to next_ - 1 are open; a ring, its size a power of two.
  std::vector<Exchange> ring_;
  std::uint64_t first_ = 1, next_ = 1;
  OutputBuffer out_;
  bool continue_owed_ = false;  // to the request whose body comes after the open exchanges
  bool taking_ = true;          // requests
  Violation violation_ = nullptr;
};

}  // namespace hone::traffic::wire
