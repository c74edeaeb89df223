#include "traffic/wire/http2_library.h"

#include <new>

#include "traffic/wire/http2_memory.h"

namespace hone::traffic::wire {
namespace {

// The library can only fail here for want of memory.
void require(int result) {
  if (result != 0) throw std::bad_alloc();
}

// The library's own limit of 64 KiB would drop the header-heavy requests and answers that shapes
// ask for; the peer's limit is the one to meet.
constexpr std::size_t kMaxSentHeaderBlock = 16 << 20;

// Above this much output that the peer does not read, control frames stay in the library, whose own
// limits on them (1,000 acknowledgements) then end a flood.
constexpr std::size_t kMaxBacklog = 1 << 20;

}  // namespace

Http2SessionPtr make_http2_session(Http2Side side, const Http2Callbacks& callbacks,
                                   void* user_data) {
  nghttp2_session_callbacks* table = nullptr;
  require(nghttp2_session_callbacks_new(&table));
  const std::unique_ptr<nghttp2_session_callbacks, decltype(&nghttp2_session_callbacks_del)>
      table_owner(table, nghttp2_session_callbacks_del);
  nghttp2_session_callbacks_set_on_begin_frame_callback(table, callbacks.on_begin_frame);
  nghttp2_session_callbacks_set_on_begin_headers_callback(table, callbacks.on_begin_headers);
  nghttp2_session_callbacks_set_on_header_callback(table, callbacks.on_header);
  nghttp2_session_callbacks_set_on_frame_recv_callback(table, callbacks.on_frame_recv);
  nghttp2_session_callbacks_set_on_data_chunk_recv_callback(table, callbacks.on_data_chunk);
  nghttp2_session_callbacks_set_on_stream_close_callback(table, callbacks.on_stream_close);
  nghttp2_session_callbacks_set_on_frame_send_callback(table, callbacks.on_frame_send);
  nghttp2_session_callbacks_set_error_callback2(table, callbacks.on_error);
  nghttp2_session_callbacks_set_send_data_callback(table, callbacks.send_data);

  nghttp2_option* option = nullptr;
  require(nghttp2_option_new(&option));
  const std::unique_ptr<nghttp2_option, decltype(&nghttp2_option_del)> option_owner(
      option, nghttp2_option_del);
  nghttp2_option_set_no_closed_streams(option, 1);  // only a priority tree would need them
  nghttp2_option_set_max_send_header_block_length(option, kMaxSentHeaderBlock);
  // Blanks around a value are forbidden since RFC 9113 only; servers from before it send them.
  nghttp2_option_set_no_rfc9113_leading_and_trailing_ws_validation(option, 1);

  nghttp2_mem memory = http2_memory();
  nghttp2_session* session = nullptr;
  require(side == Http2Side::kClient
              ? nghttp2_session_client_new3(&session, table, user_data, option, &memory)
              : nghttp2_session_server_new3(&session, table, user_data, option, &memory));
  return Http2SessionPtr(session);
}

void submit_first_settings(nghttp2_session* session, const nghttp2_settings_entry* entries,
                           std::size_t count, std::int32_t connection_window) {
  require(nghttp2_submit_settings(session, NGHTTP2_FLAG_NONE, entries, count));
  require(nghttp2_session_set_local_window_size(session, NGHTTP2_FLAG_NONE, 0, connection_window));
}

int pump_frames(nghttp2_session* session, std::size_t ahead, OutputBuffer* out) {
  while (out->size() < ahead) {
    const std::uint8_t* data = nullptr;
    const auto size = nghttp2_session_mem_send(session, &data);
    if (size <= 0) return static_cast<int>(size);
    out->append({reinterpret_cast<const char*>(data), static_cast<std::size_t>(size)});
  }
  return 0;
}

int pump_control_frames(nghttp2_session* session, OutputBuffer* out) {
  // The library takes what is in its queue before any body.
  while (nghttp2_session_get_outbound_queue_size(session) > 0 && out->size() < kMaxBacklog) {
    const std::uint8_t* data = nullptr;
    const auto size = nghttp2_session_mem_send(session, &data);
    if (size <= 0) return static_cast<int>(size);
    out->append({reinterpret_cast<const char*>(data), static_cast<std::size_t>(size)});
  }
  return 0;
}

nghttp2_nv http2_field(std::string_view name, std::string_view value, Http2Text text) {
  // The library's type is not const, though it does not write.
  const auto bytes = [](std::string_view from) {
    return reinterpret_cast<std::uint8_t*>(const_cast<char*>(from.data()));
  };
  const int flags = text == Http2Text::kKept
                        ? NGHTTP2_NV_FLAG_NO_COPY_NAME | NGHTTP2_NV_FLAG_NO_COPY_VALUE
                        : NGHTTP2_NV_FLAG_NONE;
  return {bytes(name), bytes(value), name.size(), value.size(), static_cast<std::uint8_t>(flags)};
}

Error http2_failure(const std::string& reason) {
  return Error{ErrorKind::kNetwork, "the HTTP/2 peer broke the protocol: " + reason, {}, {}, {}};
}

std::string goaway_reason(const nghttp2_goaway& frame, const std::string& last_error) {
  std::string reason = nghttp2_http2_strerror(frame.error_code);
  if (frame.opaque_data_len > 0) {
    reason += ": ";
    reason.append(reinterpret_cast<const char*>(frame.opaque_data), frame.opaque_data_len);
  } else if (!last_error.empty()) {
    reason += ": " + last_error;
  }
  return reason;
}

}  // namespace hone::traffic::wire
