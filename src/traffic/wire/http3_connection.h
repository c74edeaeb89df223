// What both sides of one HTTP/3 connection share of libngtcp2, libnghttp3 and GnuTLS: packets and
// timers, the way of stream data between the libraries, and how it all ends.
#pragma once

#include <gnutls/gnutls.h>
#include <nghttp3/nghttp3.h>
#include <ngtcp2/ngtcp2.h>
#include <ngtcp2/ngtcp2_crypto.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/error.h"
#include "system/clock.h"
#include "system/datagram_batch.h"
#include "traffic/wire/failure.h"
#include "traffic/wire/quic_tls.h"

namespace hone::traffic::wire {

struct Ngtcp2Deleter {
  void operator()(ngtcp2_conn* connection) const { ngtcp2_conn_del(connection); }
};
struct Nghttp3Deleter {
  void operator()(nghttp3_conn* connection) const { nghttp3_conn_del(connection); }
};

// The length of the connection ids that this side chooses: enough to be unguessable among a port's.
inline constexpr std::size_t kConnectionIdBytes = 8;

// As libngtcp2 wants time.
inline ngtcp2_tstamp to_timestamp(system::Instant now) {
  return static_cast<ngtcp2_tstamp>(now.time_since_epoch().count());
}

std::string_view text_of(nghttp3_rcbuf* buffer);
// The name is kept by whoever submits it; `copied`: the value is not.
nghttp3_nv http3_field(std::string_view name, std::string_view value, bool copied);

class Http3Connection {
 public:
  Http3Connection(const Http3Connection&) = delete;
  Http3Connection& operator=(const Http3Connection&) = delete;

  // Over: nothing is taken any more, and at most a CONNECTION_CLOSE is left to write.
  bool over() const { return stage_ != Stage::kOpen; }
  bool has_last_word() const { return stage_ == Stage::kClosing && !closed_said_; }
  const std::string& reason() const { return reason_; }
  bool broken() const { return broken_; }  // by a peer that violated a protocol

  GnutlsContext& context() { return *context_; }
  ngtcp2_conn* quic() const { return quic_.get(); }
  // For GnuTLS's hooks: the connection that owns this session.
  static Http3Connection* of(gnutls_session_t session);

 protected:
  enum class Stage {
    kOpen,
    kClosing,  // by us: a CONNECTION_CLOSE is to be said once
    kSilent,   // by the peer or by time: nothing is said
  };
  struct Callbacks;  // what the libraries call

  explicit Http3Connection(std::shared_ptr<GnutlsContext> context);
  virtual ~Http3Connection();

  struct Limits {
    std::uint64_t stream_window = 0, connection_window = 0;
    std::uint64_t streams = 0;  // of the peer's requests
    system::Duration idle{};    // zero: none
  };
  Status start_client(const Limits& limits, bool resume, system::Instant now);
  // `first`: the header of the Initial packet that asks for it.
  Status start_server(const ngtcp2_pkt_hd& first, const Limits& limits, system::Instant now);

  void read(std::string_view datagram, system::Instant now);
  void handle_expiry(system::Instant now);
  system::Instant next_expiry() const;
  system::DatagramBatch write_batch(system::Instant now, std::span<char> buffer);
  void say_goodbye();
  // Ends it with that code of HTTP/3's.
  void break_http(std::uint64_t code, const std::string& why);
  void credit(std::int64_t stream_id, std::size_t bytes);  // flow control: they are dealt with

  // Why it is over; kNone of one that the peer, or its silence, ended once it was established.
  Failure why() const { return why_; }
  bool ticket_offered() const { return ticket_offered_; }
  gnutls_session_t tls() const { return tls_.get(); }
  nghttp3_conn* http() const { return http_.get(); }  // null until it may send

  // From within the libraries, which may be asked for nothing that reads or writes packets.
  virtual void on_established() = 0;  // the handshake is done
  virtual void on_field(void* stream, std::int64_t id, std::string_view name,
                        std::string_view value) = 0;
  virtual void on_fields_begin(void* stream, std::int64_t id) = 0;  // of a head or of trailers
  virtual void on_trailer(void* stream, std::size_t bytes) = 0;     // of one field
  virtual void on_head_end(void* stream, bool last) = 0;
  virtual void on_body(void* stream, std::int64_t id, std::string_view bytes) = 0;
  virtual void on_message_end(void* stream) = 0;
  virtual void on_sent_whole(std::int64_t id) = 0;                 // its last byte was packed
  virtual void on_reset(std::int64_t id, std::uint64_t code) = 0;  // by the peer
  virtual void on_closed(void* stream, std::int64_t id, std::uint64_t code) = 0;
  virtual void on_goaway(std::int64_t id) = 0;       // from there on, unprocessed
  virtual void on_new_id(const ngtcp2_cid& id) = 0;  // of this side
  virtual void on_retired_id(const ngtcp2_cid& id) = 0;

 private:
  static ngtcp2_callbacks quic_callbacks(bool client);
  static nghttp3_callbacks http_callbacks();
  static const ngtcp2_path* only_path();
  Status make_tls(bool resume);
  int make_http();
  int establish();
  int forward_stream_data(std::int64_t id, std::span<const std::uint8_t> data, bool last);
  int forward_close(std::int64_t id, std::uint64_t code);
  int http_failure(int result);
  void break_off(int result);
  void end_silently(Failure why, std::string reason);
  void end_by_peer();
  ngtcp2_ssize write_packet(std::span<std::uint8_t> to, ngtcp2_tstamp now);
  bool pack(std::int64_t stream_id, ngtcp2_ssize taken, bool whole);
  system::DatagramBatch write_close(system::Instant now, std::span<char> buffer);

  const std::shared_ptr<GnutlsContext> context_;
  ngtcp2_crypto_conn_ref reference_{};
  Stage stage_ = Stage::kOpen;
  bool closed_said_ = false;
  bool broken_ = false;
  bool ticket_offered_ = false;
  bool reset_statelessly_ = false;
  ngtcp2_connection_close_error close_error_{};
  std::string reason_;  // why it is over
  Failure why_ = Failure::kNone;
  system::Instant not_before_{};  // of the next expiry
  GnutlsSession tls_;
  std::unique_ptr<nghttp3_conn, Nghttp3Deleter> http_;
  std::unique_ptr<ngtcp2_conn, Ngtcp2Deleter> quic_;  // last: its destruction comes first
};

}  // namespace hone::traffic::wire
