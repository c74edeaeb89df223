// HTTP/2 as a client, over libnghttp2: many requests open at once, bodies counted and not kept.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "traffic/wire/client_session.h"
#include "traffic/wire/grpc.h"
#include "traffic/wire/http2_frame_budget.h"
#include "traffic/wire/http2_library.h"
#include "traffic/wire/kept_events.h"

namespace hone::traffic::wire {

class Http2Request final : public PreparedRequest {
 public:
  explicit Http2Request(Request request);
  Http2Request(const Http2Request&) = delete;  // fields_ points into request_
  Http2Request& operator=(const Http2Request&) = delete;
  const std::vector<nghttp2_nv>& fields() const { return fields_; }
  const std::string& body() const { return request_.body; }

 private:
  Request request_;
  std::string length_;
  std::vector<nghttp2_nv> fields_;
};

// kGrpc: answers are those of unary calls, with a status in their trailers.
enum class Http2Carries { kHttp, kGrpc };

class Http2Client final : public ClientSession {
 public:
  Http2Client(int streams, ClientEvents* events, Http2Carries carries = Http2Carries::kHttp);

  bool ready() const override { return settings_in_; }
  int free_slots() const override;
  void submit(std::uint64_t id, const PreparedRequest& request) override;
  Status receive(std::string_view bytes) override;
  void end_of_input() override;
  std::string_view output() override;
  void consume(std::size_t bytes) override { out_.consume(bytes); }
  bool closing() const override;
  Failure failure() const override { return why_; }
  int open_requests() const override { return open_; }
  bool window_blocked() const override;

 private:
  struct Callbacks;  // what libnghttp2 calls

  struct Stream {
    std::uint64_t id = 0;                   // the caller's
    const Http2Request* request = nullptr;  // null: the slot is free
    std::int32_t stream_id = 0;
    std::size_t body_sent = 0;
    ResponseSummary summary;
    GrpcReader messages;
    bool ended = false;              // the response is whole
    Failure fault = Failure::kNone;  // why this side resets the stream
    bool body_unsent() const { return request != nullptr && body_sent < request->body().size(); }
  };

  void close_stream(Stream* stream, std::uint32_t error_code);
  static Failure cut_off(const Stream& stream);  // by an end of the connection
  void release(Stream* stream, std::optional<Loss> loss, Failure failure);
  void break_off(std::string reason, Failure why);
  void check(int result);  // of libnghttp2: a failure ends the session

  KeptEvents events_;
  const bool grpc_;
  std::vector<Stream> streams_;  // never grows: libnghttp2 holds pointers into it
  std::vector<Stream*> free_;
  OutputBuffer out_;
  Http2FrameBudget budget_;
  std::uint32_t peer_limit_;  // of streams open at once
  std::uint32_t submitted_ = 0;
  int open_ = 0;
  int bodies_unsent_ = 0;
  bool settings_in_ = false;
  bool goaway_ = false;
  bool ended_ = false;  // end of input
  bool receiving_ = false;
  std::int32_t last_taken_ = 0;   // by the peer's GOAWAY
  Failure why_ = Failure::kNone;  // it is closing
  std::string last_error_;
  std::string failure_;      // empty: none
  Http2SessionPtr session_;  // last: its destruction comes first
};

}  // namespace hone::traffic::wire
