// Who holds what: libngtcp2 keeps packets and streams, libnghttp3 what goes over a stream, and this
// file carries bytes between them. Flow control is given back as soon as bytes are dealt with:
// bodies are counted or collected at once, so nothing ever waits here for credit.
//
// Not paced: a load generator that holds a datagram back would be late by its own doing. Bursts
// stay within the congestion window.
#include "traffic/wire/http3_connection.h"

#include <netinet/in.h>

#include <algorithm>
#include <array>

#include "traffic/wire/quic_reasons.h"

namespace hone::traffic::wire {

using system::DatagramBatch;
using system::Instant;

namespace {

// libngtcp2 tells paths apart to notice migration, of which there is none here: every datagram has
// this one. The addresses are never used.
struct OnlyPath {
  sockaddr_in local{}, remote{};
  ngtcp2_path path{};
  OnlyPath() {
    local.sin_family = remote.sin_family = AF_INET;
    local.sin_port = 1;
    remote.sin_port = 2;
    path.local = {reinterpret_cast<sockaddr*>(&local), sizeof local};
    path.remote = {reinterpret_cast<sockaddr*>(&remote), sizeof remote};
  }
  OnlyPath(const OnlyPath&) = delete;  // path points into it
  OnlyPath& operator=(const OnlyPath&) = delete;
};

// The granularity of QUIC's timers (RFC 9002 6.1.2): no next deadline comes sooner after one, so
// that none turns into a busy loop.
constexpr system::Duration kGranularity = std::chrono::milliseconds(1);

std::span<const std::uint8_t> bytes_of(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

}  // namespace

std::string_view text_of(nghttp3_rcbuf* buffer) {
  const nghttp3_vec bytes = nghttp3_rcbuf_get_buf(buffer);
  return {reinterpret_cast<const char*>(bytes.base), bytes.len};
}

nghttp3_nv http3_field(std::string_view name, std::string_view value, bool copied) {
  const auto pointer = [](std::string_view text) {
    return reinterpret_cast<std::uint8_t*>(const_cast<char*>(text.data()));
  };
  const auto flags = static_cast<std::uint8_t>(
      copied ? NGHTTP3_NV_FLAG_NONE : NGHTTP3_NV_FLAG_NO_COPY_NAME | NGHTTP3_NV_FLAG_NO_COPY_VALUE);
  return {pointer(name), pointer(value), name.size(), value.size(), flags};
}

Http3Connection::Http3Connection(std::shared_ptr<GnutlsContext> context)
    : context_(std::move(context)) {
  reference_.get_conn = [](ngtcp2_crypto_conn_ref* reference) {
    return static_cast<Http3Connection*>(reference->user_data)->quic();
  };
  reference_.user_data = this;
  ngtcp2_connection_close_error_default(&close_error_);
}

Http3Connection::~Http3Connection() = default;

const ngtcp2_path* Http3Connection::only_path() {
  static const OnlyPath only;
  return &only.path;
}

Http3Connection* Http3Connection::of(gnutls_session_t session) {
  auto* reference = static_cast<ngtcp2_crypto_conn_ref*>(gnutls_session_get_ptr(session));
  return static_cast<Http3Connection*>(reference->user_data);
}

void Http3Connection::credit(std::int64_t stream_id, std::size_t bytes) {
  ngtcp2_conn_extend_max_stream_offset(quic_.get(), stream_id, bytes);
  ngtcp2_conn_extend_max_offset(quic_.get(), bytes);
}

int Http3Connection::forward_stream_data(std::int64_t id, std::span<const std::uint8_t> data,
                                         bool last) {
  if (!http_) return NGTCP2_ERR_CALLBACK_FAILURE;
  if (data.empty() && !last) return 0;
  const auto used =
      nghttp3_conn_read_stream(http_.get(), id, data.data(), data.size(), last ? 1 : 0);
  if (used < 0) return http_failure(static_cast<int>(used));
  credit(id, static_cast<std::size_t>(used));
  return over() ? NGTCP2_ERR_CALLBACK_FAILURE : 0;
}

int Http3Connection::forward_close(std::int64_t id, std::uint64_t code) {
  const bool remote = ngtcp2_conn_is_local_stream(quic_.get(), id) == 0;
  if (remote && ngtcp2_is_bidi_stream(id)) ngtcp2_conn_extend_max_streams_bidi(quic_.get(), 1);
  if (remote && !ngtcp2_is_bidi_stream(id)) ngtcp2_conn_extend_max_streams_uni(quic_.get(), 1);
  if (!http_) return 0;
  const int result = nghttp3_conn_close_stream(http_.get(), id, code);
  // Reset before anything came on it that libnghttp3 would know it by.
  return result == NGHTTP3_ERR_STREAM_NOT_FOUND ? 0 : http_failure(result);
}

int Http3Connection::http_failure(int result) {
  if (result == 0) return 0;
  break_http(nghttp3_err_infer_quic_app_error_code(result), nghttp3_strerror(result));
  return NGTCP2_ERR_CALLBACK_FAILURE;
}

void Http3Connection::break_http(std::uint64_t code, const std::string& why) {
  if (over()) return;
  stage_ = Stage::kClosing;
  broken_ = true;
  why_ = Failure::kBrokenProtocol;
  reason_ = "the HTTP/3 peer broke the protocol: " + http3_code_name(code) + ": " + why;
  ngtcp2_connection_close_error_set_application_error(&close_error_, code, nullptr, 0);
}

void Http3Connection::read(std::string_view datagram, Instant now) {
  if (over()) return;
  const ngtcp2_pkt_info info{};
  const auto bytes = bytes_of(datagram);
  const int result = ngtcp2_conn_read_pkt(quic_.get(), only_path(), &info, bytes.data(),
                                          bytes.size(), to_timestamp(now));
  if (result != 0) break_off(result);
}

void Http3Connection::handle_expiry(Instant now) {
  if (over() || to_timestamp(now) < ngtcp2_conn_get_expiry(quic_.get())) return;
  not_before_ = now + kGranularity;
  const int result = ngtcp2_conn_handle_expiry(quic_.get(), to_timestamp(now));
  if (result != 0) break_off(result);
}

Instant Http3Connection::next_expiry() const {
  if (over()) return Instant::max();
  const ngtcp2_tstamp at = ngtcp2_conn_get_expiry(quic_.get());
  if (at >= to_timestamp(Instant::max())) return Instant::max();
  return std::max(not_before_, Instant(system::Duration(static_cast<system::Duration::rep>(at))));
}

// What a libngtcp2 function that failed means for the connection.
void Http3Connection::break_off(int result) {
  if (over()) return;  // a callback has said why
  switch (result) {
    case NGTCP2_ERR_DRAINING:
      return end_by_peer();
    case NGTCP2_ERR_IDLE_CLOSE:
      return end_silently(Failure::kNone, "the QUIC connection ran into its idle timeout");
    case NGTCP2_ERR_HANDSHAKE_TIMEOUT:
      return end_silently(Failure::kConnectTimeout, "no answer to the QUIC handshake in time");
    case NGTCP2_ERR_RECV_VERSION_NEGOTIATION:
      return end_silently(Failure::kAlpn, "the server does not speak version 1 of QUIC");
    case NGTCP2_ERR_DROP_CONN:
    case NGTCP2_ERR_RETRY:  // asks for an address validation, for which there is no need here
      return end_silently(Failure::kBrokenProtocol, "a QUIC handshake without a beginning");
    case NGTCP2_ERR_CRYPTO: {
      const std::uint8_t alert = ngtcp2_conn_get_tls_alert(quic_.get());
      reason_ = handshake_reason(tls_.get(), *context_, alert);
      why_ = Failure::kTls;
      ngtcp2_connection_close_error_set_transport_error_tls_alert(&close_error_, alert, nullptr, 0);
      break;
    }
    default:
      reason_ = std::string("the QUIC peer broke the protocol: ") + ngtcp2_strerror(result);
      why_ = Failure::kBrokenProtocol;
      ngtcp2_connection_close_error_set_transport_error_liberr(&close_error_, result, nullptr, 0);
      break;
  }
  stage_ = Stage::kClosing;
  broken_ = true;
}

void Http3Connection::end_silently(Failure why, std::string reason) {
  stage_ = Stage::kSilent;
  why_ = why;
  reason_ = std::move(reason);
}

void Http3Connection::end_by_peer() {
  if (reset_statelessly_) {
    return end_silently(Failure::kConnectionReset,
                        "the peer has lost the QUIC connection (stateless reset)");
  }
  ngtcp2_connection_close_error error{};
  ngtcp2_conn_get_connection_close_error(quic_.get(), &error);
  const bool http = error.type == NGTCP2_CONNECTION_CLOSE_ERROR_CODE_TYPE_APPLICATION;
  std::string text = "the peer closed the connection: ";
  text += http ? http3_code_name(error.error_code) : quic_code_name(error.error_code);
  if (error.reasonlen > 0) {
    const std::string_view reason(reinterpret_cast<const char*>(error.reason), error.reasonlen);
    text += ": " + printable(reason);
  }
  Failure why = Failure::kNone;
  if (!ngtcp2_conn_get_handshake_completed(quic_.get())) {
    why = http ? Failure::kClosedInHandshake : handshake_failure(error.error_code);
  }
  end_silently(why, std::move(text));
}

void Http3Connection::say_goodbye() {
  if (over()) return;
  stage_ = Stage::kClosing;
  reason_ = "it was closed";
  ngtcp2_connection_close_error_set_application_error(&close_error_, NGHTTP3_H3_NO_ERROR, nullptr,
                                                      0);
}

DatagramBatch Http3Connection::write_close(Instant now, std::span<char> buffer) {
  closed_said_ = true;
  ngtcp2_pkt_info info{};
  const auto written = ngtcp2_conn_write_connection_close(
      quic_.get(), nullptr, &info, reinterpret_cast<std::uint8_t*>(buffer.data()),
      std::min<std::size_t>(buffer.size(), NGTCP2_MAX_UDP_PAYLOAD_SIZE), &close_error_,
      to_timestamp(now));
  if (written <= 0) return {};  // too early in the handshake for any
  const auto size = static_cast<std::size_t>(written);
  return {{buffer.data(), size}, size};
}

// Datagrams of a batch have one size. The first one sets it, and no later one is larger because
// libngtcp2 gets no more room; a shorter one ends the batch. A first one that is not full has taken
// all there was.
DatagramBatch Http3Connection::write_batch(Instant now, std::span<char> buffer) {
  if (has_last_word()) return write_close(now, buffer);
  if (over()) return {};
  const ngtcp2_tstamp at = to_timestamp(now);
  const std::size_t full = ngtcp2_conn_get_path_max_tx_udp_payload_size(quic_.get());
  std::size_t room = ngtcp2_conn_get_max_tx_udp_payload_size(quic_.get());
  auto* bytes = reinterpret_cast<std::uint8_t*>(buffer.data());
  const std::size_t size = std::min(buffer.size(), system::kMostBatchBytes);
  std::size_t used = 0, segment = 0;
  for (std::size_t count = 0; count < system::kMostSegments && used + room <= size; ++count) {
    const ngtcp2_ssize written = write_packet({bytes + used, room}, at);
    if (written < 0) {
      break_off(static_cast<int>(written));
      break;
    }
    const auto packet = static_cast<std::size_t>(written);
    if (packet == 0) break;
    used += packet;
    if (count == 0) {
      segment = room = packet;
      if (packet < full) break;
    } else if (packet < segment) {
      break;
    }
  }
  return {{buffer.data(), used}, segment};
}

ngtcp2_ssize Http3Connection::write_packet(std::span<std::uint8_t> to, ngtcp2_tstamp now) {
  std::array<nghttp3_vec, 16> pieces;
  ngtcp2_pkt_info info{};
  while (true) {
    std::int64_t stream_id = -1;
    int last = 0;
    nghttp3_ssize count = 0;
    if (http_ && ngtcp2_conn_get_max_data_left(quic_.get()) > 0) {
      count =
          nghttp3_conn_writev_stream(http_.get(), &stream_id, &last, pieces.data(), pieces.size());
      if (count < 0) return http_failure(static_cast<int>(count));
    }
    const auto pieces_used = static_cast<std::size_t>(count);
    const std::uint32_t flags =
        NGTCP2_WRITE_STREAM_FLAG_MORE | (last != 0 ? NGTCP2_WRITE_STREAM_FLAG_FIN : 0U);
    ngtcp2_ssize taken = -1;
    const ngtcp2_ssize written = ngtcp2_conn_writev_stream(
        quic_.get(), nullptr, &info, to.data(), to.size(), &taken, flags, stream_id,
        reinterpret_cast<const ngtcp2_vec*>(pieces.data()), pieces_used, now);
    if (written == NGTCP2_ERR_STREAM_DATA_BLOCKED) {
      nghttp3_conn_block_stream(http_.get(), stream_id);
      continue;
    }
    if (written == NGTCP2_ERR_STREAM_SHUT_WR || written == NGTCP2_ERR_STREAM_NOT_FOUND) {
      nghttp3_conn_shutdown_stream_write(http_.get(), stream_id);
      continue;
    }
    if (taken >= 0 && stream_id >= 0) {
      const bool whole = last != 0 && static_cast<std::uint64_t>(taken) ==
                                          nghttp3_vec_len(pieces.data(), pieces_used);
      if (!pack(stream_id, taken, whole)) return NGTCP2_ERR_CALLBACK_FAILURE;
    }
    if (written != NGTCP2_ERR_WRITE_MORE) return written;
  }
}

bool Http3Connection::pack(std::int64_t stream_id, ngtcp2_ssize taken, bool whole) {
  const int result =
      nghttp3_conn_add_write_offset(http_.get(), stream_id, static_cast<std::size_t>(taken));
  if (whole) on_sent_whole(stream_id);
  return http_failure(result) == 0;
}

}  // namespace hone::traffic::wire
