// What libngtcp2 and libnghttp3 call, and where it goes: to the other library, or to the side that
// the connection is of.
#include "traffic/wire/http3_connection.h"

namespace hone::traffic::wire {

struct Http3Connection::Callbacks {
  static Http3Connection& self(void* user) { return *static_cast<Http3Connection*>(user); }

  // libngtcp2's

  static int on_handshake_completed(ngtcp2_conn*, void* user) { return self(user).establish(); }
  static int on_rx_key(ngtcp2_conn* quic, ngtcp2_crypto_level level, void* user) {
    if (level != NGTCP2_CRYPTO_LEVEL_APPLICATION || ngtcp2_conn_is_server(quic)) return 0;
    return self(user).make_http();
  }
  static int on_tx_key(ngtcp2_conn* quic, ngtcp2_crypto_level level, void* user) {
    if (level != NGTCP2_CRYPTO_LEVEL_APPLICATION || !ngtcp2_conn_is_server(quic)) return 0;
    return self(user).make_http();
  }
  static int on_stream_data(ngtcp2_conn*, std::uint32_t flags, std::int64_t id, std::uint64_t,
                            const std::uint8_t* data, std::size_t size, void* user, void*) {
    const bool last = (flags & NGTCP2_STREAM_DATA_FLAG_FIN) != 0;
    return self(user).forward_stream_data(id, {data, size}, last);
  }
  static int on_acked(ngtcp2_conn*, std::int64_t id, std::uint64_t, std::uint64_t size, void* user,
                      void*) {
    Http3Connection& connection = self(user);
    if (!connection.http_) return 0;
    return connection.http_failure(nghttp3_conn_add_ack_offset(connection.http_.get(), id, size));
  }
  static int on_stream_close(ngtcp2_conn*, std::uint32_t flags, std::int64_t id, std::uint64_t code,
                             void* user, void*) {
    const bool told = (flags & NGTCP2_STREAM_CLOSE_FLAG_APP_ERROR_CODE_SET) != 0;
    return self(user).forward_close(id, told ? code : NGHTTP3_H3_NO_ERROR);
  }
  static int on_stream_reset(ngtcp2_conn*, std::int64_t id, std::uint64_t, std::uint64_t code,
                             void* user, void*) {
    Http3Connection& connection = self(user);
    if (!connection.http_) return 0;
    connection.on_reset(id, code);
    return connection.http_failure(nghttp3_conn_shutdown_stream_read(connection.http_.get(), id));
  }
  static int on_stop_sending(ngtcp2_conn*, std::int64_t id, std::uint64_t, void* user, void*) {
    // libngtcp2 resets the stream by itself; libnghttp3 must make no more of it.
    if (self(user).http_) nghttp3_conn_shutdown_stream_write(self(user).http_.get(), id);
    return 0;
  }
  static int on_window_opened(ngtcp2_conn*, std::int64_t id, std::uint64_t, void* user, void*) {
    if (self(user).http_) nghttp3_conn_unblock_stream(self(user).http_.get(), id);
    return 0;
  }
  static int on_streams_raised(ngtcp2_conn*, std::uint64_t most, void* user) {
    if (self(user).http_) nghttp3_conn_set_max_client_streams_bidi(self(user).http_.get(), most);
    return 0;
  }
  static int on_stateless_reset(ngtcp2_conn*, const ngtcp2_pkt_stateless_reset*, void* user) {
    self(user).reset_statelessly_ = true;
    return 0;
  }
  static void draw(std::uint8_t* to, std::size_t size, const ngtcp2_rand_ctx*) {
    fill_randomly(to, size);
  }
  static int make_id(ngtcp2_conn*, ngtcp2_cid* id, std::uint8_t* token, std::size_t size,
                     void* user) {
    id->datalen = size;
    fill_randomly(id->data, size);
    const auto& secret = self(user).context_->reset_secret();
    if (ngtcp2_crypto_generate_stateless_reset_token(token, secret.data(), secret.size(), id) !=
        0) {
      return NGTCP2_ERR_CALLBACK_FAILURE;
    }
    self(user).on_new_id(*id);
    return 0;
  }
  static int retire_id(ngtcp2_conn*, const ngtcp2_cid* id, void* user) {
    self(user).on_retired_id(*id);
    return 0;
  }

  // libnghttp3's

  static int on_body_data(nghttp3_conn*, std::int64_t id, const std::uint8_t* data,
                          std::size_t size, void* user, void* stream) {
    self(user).credit(id, size);
    self(user).on_body(stream, id, {reinterpret_cast<const char*>(data), size});
    return 0;
  }
  static int on_deferred(nghttp3_conn*, std::int64_t id, std::size_t size, void* user, void*) {
    self(user).credit(id, size);
    return 0;
  }
  static int on_begin(nghttp3_conn*, std::int64_t id, void* user, void* stream) {
    self(user).on_fields_begin(stream, id);
    return 0;
  }
  static int on_header(nghttp3_conn*, std::int64_t id, std::int32_t, nghttp3_rcbuf* name,
                       nghttp3_rcbuf* value, std::uint8_t, void* user, void* stream) {
    self(user).on_field(stream, id, text_of(name), text_of(value));
    return 0;
  }
  static int on_trailer(nghttp3_conn*, std::int64_t, std::int32_t, nghttp3_rcbuf* name,
                        nghttp3_rcbuf* value, std::uint8_t, void* user, void* stream) {
    self(user).on_trailer(stream, text_of(name).size() + text_of(value).size());
    return 0;
  }
  static int on_end(nghttp3_conn*, std::int64_t, int last, void* user, void* stream) {
    self(user).on_head_end(stream, last != 0);
    return 0;
  }
  static int on_message_over(nghttp3_conn*, std::int64_t, void* user, void* stream) {
    self(user).on_message_end(stream);
    return 0;
  }
  static int ask_stop(nghttp3_conn*, std::int64_t id, std::uint64_t code, void* user, void*) {
    ngtcp2_conn_shutdown_stream_read(self(user).quic_.get(), id, code);
    return 0;
  }
  static int ask_reset(nghttp3_conn*, std::int64_t id, std::uint64_t code, void* user, void*) {
    ngtcp2_conn_shutdown_stream_write(self(user).quic_.get(), id, code);
    return 0;
  }
  static int on_http_closed(nghttp3_conn*, std::int64_t id, std::uint64_t code, void* user,
                            void* stream) {
    self(user).on_closed(stream, id, code);
    return 0;
  }
  static int on_shutdown(nghttp3_conn*, std::int64_t id, void* user) {
    self(user).on_goaway(id);
    return 0;
  }
};

ngtcp2_callbacks Http3Connection::quic_callbacks(bool client) {
  ngtcp2_callbacks table{};
  if (client) {
    table.client_initial = ngtcp2_crypto_client_initial_cb;
    table.recv_retry = ngtcp2_crypto_recv_retry_cb;
  } else {
    table.recv_client_initial = ngtcp2_crypto_recv_client_initial_cb;
    table.extend_max_remote_streams_bidi = Callbacks::on_streams_raised;
  }
  table.recv_crypto_data = ngtcp2_crypto_recv_crypto_data_cb;
  table.handshake_completed = Callbacks::on_handshake_completed;
  table.encrypt = ngtcp2_crypto_encrypt_cb;
  table.decrypt = ngtcp2_crypto_decrypt_cb;
  table.hp_mask = ngtcp2_crypto_hp_mask_cb;
  table.recv_stream_data = Callbacks::on_stream_data;
  table.acked_stream_data_offset = Callbacks::on_acked;
  table.stream_close = Callbacks::on_stream_close;
  table.recv_stateless_reset = Callbacks::on_stateless_reset;
  table.rand = Callbacks::draw;
  table.get_new_connection_id = Callbacks::make_id;
  table.remove_connection_id = Callbacks::retire_id;
  table.update_key = ngtcp2_crypto_update_key_cb;
  table.stream_reset = Callbacks::on_stream_reset;
  table.extend_max_stream_data = Callbacks::on_window_opened;
  table.delete_crypto_aead_ctx = ngtcp2_crypto_delete_crypto_aead_ctx_cb;
  table.delete_crypto_cipher_ctx = ngtcp2_crypto_delete_crypto_cipher_ctx_cb;
  table.get_path_challenge_data = ngtcp2_crypto_get_path_challenge_data_cb;
  table.stream_stop_sending = Callbacks::on_stop_sending;
  table.version_negotiation = ngtcp2_crypto_version_negotiation_cb;
  table.recv_rx_key = Callbacks::on_rx_key;
  table.recv_tx_key = Callbacks::on_tx_key;
  return table;
}

nghttp3_callbacks Http3Connection::http_callbacks() {
  nghttp3_callbacks table{};
  table.stream_close = Callbacks::on_http_closed;
  table.recv_data = Callbacks::on_body_data;
  table.deferred_consume = Callbacks::on_deferred;
  table.begin_headers = Callbacks::on_begin;
  table.recv_header = Callbacks::on_header;
  table.end_headers = Callbacks::on_end;
  table.begin_trailers = Callbacks::on_begin;
  table.recv_trailer = Callbacks::on_trailer;
  table.stop_sending = Callbacks::ask_stop;
  table.end_stream = Callbacks::on_message_over;
  table.reset_stream = Callbacks::ask_reset;
  table.shutdown = Callbacks::on_shutdown;
  return table;
}

}  // namespace hone::traffic::wire
