// How a connection begins: the limits that it announces, its TLS session, and HTTP/3 on top once
// that has keys.
#include <array>
#include <new>

#include "traffic/wire/http1_syntax.h"
#include "traffic/wire/http3_connection.h"

namespace hone::traffic::wire {

using system::Instant;

namespace {

// Streams for settings, QPACK and what a peer may greet with (RFC 9114 6.2 asks for 3 at least).
constexpr std::uint64_t kUnidirectionalStreams = 100;
// Of each of them; RFC 9114 6.2 asks for 1,024 bytes at least.
constexpr std::uint64_t kUnidirectionalWindow = 256 << 10;

// As in nghttp3's and other servers' defaults; requests of a load repeat their fields.
constexpr std::size_t kQpackTable = 4096;
// Of a server only. libnghttp3 keeps whatever comes on a blocked stream, and an answer that waits
// for the table of another one would be late by no doing of the subject's.
constexpr std::size_t kQpackBlockedStreams = 100;

// RFC 9114 6.2.1: control and two QPACK streams.
constexpr std::uint64_t kOwnStreams = 3;

}  // namespace

Status Http3Connection::make_tls(bool resume) {
  ticket_offered_ = resume;
  HONE_TRY(tls_, context_->make_session(&reference_, &ticket_offered_));
  ngtcp2_conn_set_tls_native_handle(quic_.get(), tls_.get());
  return {};
}

Status Http3Connection::start_client(const Limits& limits, bool resume, Instant now) {
  ngtcp2_settings settings;
  ngtcp2_settings_default(&settings);
  settings.initial_ts = to_timestamp(now);
  ngtcp2_transport_params parameters;
  ngtcp2_transport_params_default(&parameters);
  parameters.initial_max_stream_data_bidi_local = limits.stream_window;
  parameters.initial_max_stream_data_uni = kUnidirectionalWindow;
  parameters.initial_max_data = limits.connection_window;
  parameters.initial_max_streams_uni = kUnidirectionalStreams;
  parameters.disable_active_migration = 1;
  ngtcp2_cid source{}, destination{};
  source.datalen = kConnectionIdBytes;
  fill_randomly(source.data, source.datalen);
  destination.datalen = 2 * kConnectionIdBytes;  // RFC 9000 7.2: 8 at least, unpredictable
  fill_randomly(destination.data, destination.datalen);
  const ngtcp2_callbacks callbacks = quic_callbacks(true);
  ngtcp2_conn* made = nullptr;
  const int result =
      ngtcp2_conn_client_new(&made, &destination, &source, only_path(), NGTCP2_PROTO_VER_V1,
                             &callbacks, &settings, &parameters, nullptr, this);
  if (result != 0) {
    return fail(ErrorKind::kInternal,
                std::string("cannot make a QUIC connection: ") + ngtcp2_strerror(result));
  }
  quic_.reset(made);
  return make_tls(resume);
}

Status Http3Connection::start_server(const ngtcp2_pkt_hd& first, const Limits& limits,
                                     Instant now) {
  ngtcp2_settings settings;
  ngtcp2_settings_default(&settings);
  settings.initial_ts = to_timestamp(now);
  ngtcp2_transport_params parameters;
  ngtcp2_transport_params_default(&parameters);
  parameters.initial_max_stream_data_bidi_remote = limits.stream_window;
  parameters.initial_max_stream_data_uni = kUnidirectionalWindow;
  parameters.initial_max_data = limits.connection_window;
  parameters.initial_max_streams_bidi = limits.streams;
  parameters.initial_max_streams_uni = kUnidirectionalStreams;
  parameters.max_idle_timeout = static_cast<ngtcp2_duration>(limits.idle.count());
  parameters.original_dcid = first.dcid;
  parameters.disable_active_migration = 1;
  ngtcp2_cid source{};
  source.datalen = kConnectionIdBytes;
  fill_randomly(source.data, source.datalen);
  const auto& secret = context_->reset_secret();
  parameters.stateless_reset_token_present = 1;
  if (ngtcp2_crypto_generate_stateless_reset_token(parameters.stateless_reset_token, secret.data(),
                                                   secret.size(), &source) != 0) {
    return fail(ErrorKind::kInternal, "cannot make a QUIC connection's reset token");
  }
  const ngtcp2_callbacks callbacks = quic_callbacks(false);
  ngtcp2_conn* made = nullptr;
  const int result = ngtcp2_conn_server_new(&made, &first.scid, &source, only_path(), first.version,
                                            &callbacks, &settings, &parameters, nullptr, this);
  if (result != 0) {
    return fail(ErrorKind::kNetwork,
                std::string("cannot make a QUIC connection: ") + ngtcp2_strerror(result));
  }
  quic_.reset(made);
  on_new_id(source);
  return make_tls(/*resume=*/false);
}

int Http3Connection::make_http() {
  if (http_) return 0;
  const bool server = ngtcp2_conn_is_server(quic_.get()) != 0;
  if (ngtcp2_conn_get_max_local_streams_uni(quic_.get()) < kOwnStreams) {
    break_http(NGHTTP3_H3_GENERAL_PROTOCOL_ERROR,
               "the peer allows less than the three streams that HTTP/3 needs");
    return NGTCP2_ERR_CALLBACK_FAILURE;
  }
  nghttp3_settings settings;
  nghttp3_settings_default(&settings);
  settings.qpack_max_dtable_capacity = kQpackTable;
  if (server) {
    settings.qpack_blocked_streams = kQpackBlockedStreams;
    settings.max_field_section_size = kMaxHeadBytes;
  }
  const nghttp3_callbacks callbacks = http_callbacks();
  nghttp3_conn* made = nullptr;
  const auto make = server ? nghttp3_conn_server_new_versioned : nghttp3_conn_client_new_versioned;
  const int result = make(&made, NGHTTP3_CALLBACKS_VERSION, &callbacks, NGHTTP3_SETTINGS_VERSION,
                          &settings, nghttp3_mem_default(), this);
  if (result != 0) throw std::bad_alloc();  // what else can fail in it
  http_.reset(made);
  if (server) {
    const auto* own = ngtcp2_conn_get_local_transport_params(quic_.get());
    nghttp3_conn_set_max_client_streams_bidi(made, own->initial_max_streams_bidi);
  }
  std::array<std::int64_t, kOwnStreams> ids{};
  for (std::int64_t& id : ids) {
    if (ngtcp2_conn_open_uni_stream(quic_.get(), &id, nullptr) != 0) {
      return NGTCP2_ERR_CALLBACK_FAILURE;
    }
  }
  if (nghttp3_conn_bind_control_stream(made, ids[0]) != 0 ||
      nghttp3_conn_bind_qpack_streams(made, ids[1], ids[2]) != 0) {
    return NGTCP2_ERR_CALLBACK_FAILURE;
  }
  return 0;
}

// The handshake is done. GnuTLS goes on without an agreement by ALPN; RFC 9001 8.1 does not.
int Http3Connection::establish() {
  if (agreed_on_h3(tls_.get())) {
    on_established();
    return 0;
  }
  stage_ = Stage::kClosing;
  broken_ = true;
  why_ = Failure::kAlpn;
  reason_ = "the peer does not speak HTTP/3: it has not agreed to \"h3\" by ALPN";
  ngtcp2_connection_close_error_set_transport_error_tls_alert(
      &close_error_, GNUTLS_A_NO_APPLICATION_PROTOCOL, nullptr, 0);
  return NGTCP2_ERR_CALLBACK_FAILURE;
}

}  // namespace hone::traffic::wire
