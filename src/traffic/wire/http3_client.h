// HTTP/3 as a client: many requests open at once, bodies counted and not kept.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "traffic/wire/http3_connection.h"
#include "traffic/wire/kept_events.h"

namespace hone::traffic::wire {

class Http3Request final : public PreparedRequest {
 public:
  explicit Http3Request(Request request);
  Http3Request(const Http3Request&) = delete;  // fields_ points into request_
  Http3Request& operator=(const Http3Request&) = delete;
  const std::vector<nghttp3_nv>& fields() const { return fields_; }
  const std::string& body() const { return request_.body; }

 private:
  Request request_;
  std::string length_;
  std::vector<nghttp3_nv> fields_;
};

class Http3ClientConnection final : public Http3Client, private Http3Connection {
 public:
  Http3ClientConnection(std::shared_ptr<GnutlsContext> context, int streams, ClientEvents* events);
  Status start(bool resume, system::Instant now);

  bool ready() const override;
  bool resumed() const override { return gnutls_session_is_resumed(tls()) != 0; }
  bool offered() const override { return ticket_offered(); }
  int free_slots() const override;
  void submit(std::uint64_t id, const PreparedRequest& request) override;
  Status receive(const system::DatagramBatch& batch, system::Instant now) override;
  system::Instant expiry() const override;
  Status expire(system::Instant now) override;
  system::DatagramBatch write(system::Instant now, std::span<char> buffer) override {
    return write_batch(now, buffer);
  }
  void close() override { say_goodbye(); }
  bool closing() const override { return goaway_ || over(); }
  Failure failure() const override;
  int open_requests() const override { return open_; }
  bool window_blocked() const override;

 private:
  struct Stream {
    std::uint64_t id = 0;  // the caller's
    std::int64_t stream_id = -1;
    const Http3Request* request = nullptr;
    ResponseSummary summary;
    std::size_t field_bytes = 0;  // of the head, or the trailers, that are being read
    bool open = false;            // no event yet
    bool body_unsent = false;     // some of it is not in a packet yet
  };

  void on_established() override;
  void on_field(void* stream, std::int64_t id, std::string_view name,
                std::string_view value) override;
  void on_fields_begin(void* stream, std::int64_t id) override;
  void on_trailer(void* stream, std::size_t bytes) override { take_field(stream, bytes); }
  void on_head_end(void* stream, bool last) override;
  void on_body(void* stream, std::int64_t id, std::string_view bytes) override;
  void on_message_end(void* stream) override;
  void on_sent_whole(std::int64_t id) override;
  void on_reset(std::int64_t id, std::uint64_t code) override;
  void on_closed(void* stream, std::int64_t id, std::uint64_t code) override;
  void on_goaway(std::int64_t id) override;
  void on_new_id(const ngtcp2_cid&) override {}
  void on_retired_id(const ngtcp2_cid&) override {}

  static nghttp3_ssize give_body(nghttp3_conn*, std::int64_t, nghttp3_vec* pieces, std::size_t room,
                                 std::uint32_t* flags, void*, void* stream);
  Stream* take_stream();
  void take_field(void* stream, std::size_t bytes);
  Stream* find(std::int64_t stream_id);
  void finish(Stream* stream, std::optional<Loss> loss, Failure failure);
  void lose_reset(Stream* stream, std::uint64_t code);
  void refuse(Stream* stream, Failure why);
  Failure cut_off(const Stream& stream) const;  // by the end of the connection
  void body_is_sent(Stream* stream);
  Status deliver();

  KeptEvents events_;
  const int limit_;
  std::vector<std::unique_ptr<Stream>> streams_;  // all there ever were at once
  std::vector<Stream*> free_;
  int open_ = 0;
  int bodies_unsent_ = 0;
  bool established_ = false;
  bool goaway_ = false;
  Failure furthest_ = Failure::kNone;  // of the requests that the peer's end cut off
};

}  // namespace hone::traffic::wire
