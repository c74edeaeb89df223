// HTTP/2 as a server, over libnghttp2. Its limits against floods are the library's defaults
// (resets, frames that wait to be acknowledged) and those of Http2FrameBudget.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "traffic/wire/http2_frame_budget.h"
#include "traffic/wire/http2_library.h"
#include "traffic/wire/server_exchange.h"

namespace hone::traffic::wire {

class Http2Server final : public ServerSession {
 public:
  Http2Server(ServerEvents* events, std::size_t body_limit);

  bool respond(std::uint64_t stream, const Reply& reply) override;
  Status receive(std::string_view bytes) override;
  void end_of_input() override;
  std::string_view output() override;
  void consume(std::size_t bytes) override { out_.consume(bytes); }
  bool finished() const override;

 private:
  struct Callbacks;  // what libnghttp2 calls

  struct Stream : ServerExchange {
    std::int32_t id = 0;  // 0: not in use
  };

  Stream* find(std::int32_t id) const {
    return static_cast<Stream*>(nghttp2_session_get_stream_user_data(session_.get(), id));
  }
  Stream* open_stream(std::int32_t id);
  int keep_body(Stream* stream, std::string_view data);
  void deliver(Stream* stream);
  void close_stream(Stream* stream);
  void check(int result);  // of libnghttp2: a failure ends the session
  void lose_all();

  ServerEvents* events_;
  BodyBudget bodies_;
  std::vector<std::unique_ptr<Stream>> streams_;  // all there ever were at once
  std::vector<Stream*> free_;
  std::vector<nghttp2_nv> fields_;  // of the answer being submitted
  OutputBuffer out_;
  Http2FrameBudget budget_;
  bool receiving_ = false;
  bool ended_ = false;  // end of input
  std::string last_error_;
  std::string failure_;      // empty: none
  Http2SessionPtr session_;  // last: its destruction comes first
};

}  // namespace hone::traffic::wire
