// HTTP/2 as a server, over libnghttp2. Its limits against floods are the library's defaults
// (resets, frames that wait to be acknowledged) and those of Http2FrameBudget.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "traffic/wire/http2_frame_budget.h"
#include "traffic/wire/http2_library.h"
#include "traffic/wire/server_session.h"

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

  struct Stream {         // used again for later requests, with its memory
    std::int32_t id = 0;  // 0: not in use
    std::string method, path, authority, body;
    std::vector<Header> headers;  // the first header_count belong to this request
    std::size_t header_count = 0;
    std::uint64_t body_bytes = 0;
    bool keeps_body = true;
    bool expects_continue = false;
    bool delivered = false;  // on_request was called
    bool answered = false;   // or refused, or lost
    bool close_after = false;

    std::string text;          // the answer's body, when it is not filler
    std::uint64_t length = 0;  // of either
    std::uint64_t sent = 0;
    std::vector<Header> trailers;
  };

  Stream* find(std::int32_t id) const {
    return static_cast<Stream*>(nghttp2_session_get_stream_user_data(session_.get(), id));
  }
  Stream* open_stream(std::int32_t id);
  void keep_header(Stream* stream, std::string_view name, std::string_view value);
  int keep_body(Stream* stream, std::string_view data);
  static RequestView view_of(Stream* stream);
  void deliver(Stream* stream);
  void close_stream(Stream* stream);
  void check(int result);  // of libnghttp2: a failure ends the session
  void lose_all();

  ServerEvents* events_;
  const std::size_t body_limit_;
  std::vector<std::unique_ptr<Stream>> streams_;  // all there ever were at once
  std::vector<Stream*> free_;
  std::vector<nghttp2_nv> fields_;  // of the answer being submitted
  OutputBuffer out_;
  Http2FrameBudget budget_;
  std::size_t kept_bytes_ = 0;  // of the bodies of all streams
  bool receiving_ = false;
  bool ended_ = false;  // end of input
  std::string last_error_;
  std::string failure_;      // empty: none
  Http2SessionPtr session_;  // last: its destruction comes first
};

}  // namespace hone::traffic::wire
