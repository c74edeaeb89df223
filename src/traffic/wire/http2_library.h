// What the client's and the server's HTTP/2 session share of libnghttp2: ownership, the set of
// callbacks, output in frames, and the name of what went wrong.
#pragma once

#include <nghttp2/nghttp2.h>

#include <memory>
#include <string>
#include <string_view>

#include "base/error.h"
#include "traffic/wire/output_buffer.h"

namespace hone::traffic::wire {

struct Http2SessionDeleter {
  void operator()(nghttp2_session* session) const { nghttp2_session_del(session); }
};
using Http2SessionPtr = std::unique_ptr<nghttp2_session, Http2SessionDeleter>;

// Callbacks that stay null are not called. user_data is what make_http2_session was given.
struct Http2Callbacks {
  nghttp2_on_begin_frame_callback on_begin_frame = nullptr;
  nghttp2_on_begin_headers_callback on_begin_headers = nullptr;
  nghttp2_on_header_callback on_header = nullptr;
  nghttp2_on_frame_recv_callback on_frame_recv = nullptr;
  nghttp2_on_data_chunk_recv_callback on_data_chunk = nullptr;
  nghttp2_on_stream_close_callback on_stream_close = nullptr;
  nghttp2_on_frame_send_callback on_frame_send = nullptr;
  nghttp2_error_callback2 on_error = nullptr;
  nghttp2_send_data_callback send_data = nullptr;
};
enum class Http2Side { kClient, kServer };
Http2SessionPtr make_http2_session(Http2Side side, const Http2Callbacks& callbacks,
                                   void* user_data);

// Makes both windows large and queues the first SETTINGS; the connection's window is opened beyond
// the 64 KiB that HTTP/2 starts with.
void submit_first_settings(nghttp2_session* session, const nghttp2_settings_entry* entries,
                           std::size_t count, std::int32_t connection_window);

// Frames made ahead of the socket: what a default socket buffer takes.
inline constexpr std::size_t kHttp2AheadBytes = 128 << 10;

// Appends the frames that are ready, until `ahead` bytes wait in *out or there are no more. A frame
// of data that send_data writes itself goes to *out by that callback. 0, or nghttp2's error.
int pump_frames(nghttp2_session* session, std::size_t ahead, OutputBuffer* out);
// The same for queued control frames alone: bodies wait until output is asked for.
int pump_control_frames(nghttp2_session* session, OutputBuffer* out);

// What send_data returns after it has appended a frame: the library would go on to the next frame
// of data without asking anybody, until a whole body is made.
inline int after_data_frame(const OutputBuffer& out) {
  return out.size() < kHttp2AheadBytes ? 0 : NGHTTP2_ERR_PAUSE;
}

// `copied`: the library keeps a copy; else the text outlives the frame.
enum class Http2Text { kCopied, kKept };
nghttp2_nv http2_field(std::string_view name, std::string_view value, Http2Text text);

// "the HTTP/2 peer broke the protocol: PROTOCOL_ERROR: DATA: stream in idle"
Error http2_failure(const std::string& reason);
// The reason of a GOAWAY that this side sends: its code and, where the library gave one, its text.
std::string goaway_reason(const nghttp2_goaway& frame, const std::string& last_error);

}  // namespace hone::traffic::wire
