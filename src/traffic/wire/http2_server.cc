// An answer's body is asked for by libnghttp2 frame by frame as the windows and the socket take it;
// filler is copied once, from its block into the output.
#include "traffic/wire/http2_server.h"

#include <algorithm>

#include "traffic/wire/filler.h"
#include "traffic/wire/http1_syntax.h"

namespace hone::traffic::wire {
namespace {

// Room for a whole body at the default body limit without an update in between; a generator that
// uploads must not wait for the origin.
constexpr std::int32_t kStreamWindow = 16 << 20;
constexpr std::int32_t kConnectionWindow = 64 << 20;

// Twice what RFC 9113 6.5.2 advises at least (100), above h2load's and proxies' usual streams.
constexpr std::uint32_t kMaxStreams = 256;

}  // namespace

struct Http2Server::Callbacks {
  static int on_begin_frame(nghttp2_session* session, const nghttp2_frame_hd* head,
                            void* user_data) {
    auto* self = static_cast<Http2Server*>(user_data);
    if (const char* flood = self->budget_.take(*head)) {
      self->last_error_ = flood;
      return nghttp2_session_terminate_session(session, NGHTTP2_ENHANCE_YOUR_CALM);
    }
    return 0;
  }

  static int on_begin_headers(nghttp2_session*, const nghttp2_frame* frame, void* user_data) {
    auto* self = static_cast<Http2Server*>(user_data);
    self->budget_.message_moved();
    if (frame->hd.type == NGHTTP2_HEADERS && frame->headers.cat == NGHTTP2_HCAT_REQUEST) {
      self->open_stream(frame->hd.stream_id);
    }
    return 0;
  }

  static int on_header(nghttp2_session*, const nghttp2_frame* frame, const std::uint8_t* name,
                       std::size_t name_size, const std::uint8_t* value, std::size_t value_size,
                       std::uint8_t, void* user_data) {
    auto* self = static_cast<Http2Server*>(user_data);
    if (!self->budget_.take_field(name_size, value_size, kMaxHeadBytes)) {
      self->last_error_ = "a header list above 256 KiB";
      return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;  // resets the stream
    }
    if (frame->headers.cat != NGHTTP2_HCAT_REQUEST) return 0;  // trailers
    Stream* stream = self->find(frame->hd.stream_id);
    if (stream == nullptr) return 0;
    stream->add_field({reinterpret_cast<const char*>(name), name_size},
                      {reinterpret_cast<const char*>(value), value_size});
    return 0;
  }

  static int on_data_chunk(nghttp2_session*, std::uint8_t, std::int32_t id,
                           const std::uint8_t* data, std::size_t size, void* user_data) {
    auto* self = static_cast<Http2Server*>(user_data);
    self->budget_.message_moved();
    Stream* stream = self->find(id);
    if (stream == nullptr) return 0;
    return self->keep_body(stream, {reinterpret_cast<const char*>(data), size});
  }

  static int on_frame_recv(nghttp2_session* session, const nghttp2_frame* frame, void* user_data) {
    if (frame->hd.type != NGHTTP2_HEADERS && frame->hd.type != NGHTTP2_DATA) return 0;
    auto* self = static_cast<Http2Server*>(user_data);
    Stream* stream = self->find(frame->hd.stream_id);
    if (stream == nullptr) return 0;
    if (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) {
      self->deliver(stream);
      return 0;
    }
    if (frame->hd.type != NGHTTP2_HEADERS) return 0;
    stream->keeps_body = self->events_->keeps_body(stream->request());
    if (stream->expects_continue) {
      stream->expects_continue = false;
      const nghttp2_nv status = http2_field(":status", "100", Http2Text::kKept);
      return nghttp2_submit_headers(session, NGHTTP2_FLAG_NONE, stream->id, nullptr, &status, 1,
                                    nullptr);
    }
    return 0;
  }

  static int on_stream_close(nghttp2_session*, std::int32_t id, std::uint32_t, void* user_data) {
    auto* self = static_cast<Http2Server*>(user_data);
    if (Stream* stream = self->find(id)) self->close_stream(stream);
    return 0;
  }

  static int on_frame_send(nghttp2_session*, const nghttp2_frame* frame, void* user_data) {
    auto* self = static_cast<Http2Server*>(user_data);
    if (frame->hd.type == NGHTTP2_GOAWAY && frame->goaway.error_code != NGHTTP2_NO_ERROR) {
      self->failure_ = goaway_reason(frame->goaway, self->last_error_);
    }
    return 0;
  }

  static int on_error(nghttp2_session*, int, const char* text, std::size_t size, void* user_data) {
    static_cast<Http2Server*>(user_data)->last_error_.assign(text, size);
    return 0;
  }

  static ssize_t read_body(nghttp2_session* session, std::int32_t id, std::uint8_t*,
                           std::size_t room, std::uint32_t* flags, nghttp2_data_source* source,
                           void*) {
    const auto* stream = static_cast<const Stream*>(source->ptr);
    const auto left = stream->length - stream->sent;
    const auto piece = std::min<std::uint64_t>(left, room);
    *flags |= NGHTTP2_DATA_FLAG_NO_COPY;
    if (piece < left) return static_cast<ssize_t>(piece);
    *flags |= NGHTTP2_DATA_FLAG_EOF;
    if (!stream->trailers.empty()) {
      *flags |= NGHTTP2_DATA_FLAG_NO_END_STREAM;
      std::vector<nghttp2_nv> fields;
      fields.reserve(stream->trailers.size());
      for (const Header& trailer : stream->trailers) {
        fields.push_back(http2_field(trailer.name, trailer.value, Http2Text::kCopied));
      }
      if (nghttp2_submit_trailer(session, id, fields.data(), fields.size()) != 0) {
        return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
      }
    }
    return static_cast<ssize_t>(piece);
  }

  static int send_data(nghttp2_session*, nghttp2_frame*, const std::uint8_t* frame_head,
                       std::size_t size, nghttp2_data_source* source, void* user_data) {
    constexpr std::size_t kFrameHeadBytes = 9;  // RFC 9113 4.1
    auto* self = static_cast<Http2Server*>(user_data);
    auto* stream = static_cast<Stream*>(source->ptr);
    std::string& out = self->out_.tail();
    out.append(reinterpret_cast<const char*>(frame_head), kFrameHeadBytes);
    // A frame is at most 16 KiB here, less than what filler() gives at once.
    out.append(stream->text.empty() ? filler(stream->sent, size)
                                    : std::string_view(stream->text).substr(stream->sent, size));
    stream->sent += size;
    self->budget_.message_moved();
    return after_data_frame(self->out_);
  }
};

Http2Server::Http2Server(ServerEvents* events, std::size_t body_limit)
    : events_(events), bodies_(body_limit) {
  Http2Callbacks callbacks;
  callbacks.on_begin_frame = Callbacks::on_begin_frame;
  callbacks.on_begin_headers = Callbacks::on_begin_headers;
  callbacks.on_header = Callbacks::on_header;
  callbacks.on_frame_recv = Callbacks::on_frame_recv;
  callbacks.on_data_chunk = Callbacks::on_data_chunk;
  callbacks.on_stream_close = Callbacks::on_stream_close;
  callbacks.on_frame_send = Callbacks::on_frame_send;
  callbacks.on_error = Callbacks::on_error;
  callbacks.send_data = Callbacks::send_data;
  session_ = make_http2_session(Http2Side::kServer, callbacks, this);
  const nghttp2_settings_entry settings[] = {
      {NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, kMaxStreams},
      {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, static_cast<std::uint32_t>(kStreamWindow)},
      {NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, static_cast<std::uint32_t>(kMaxHeadBytes)},
  };
  submit_first_settings(session_.get(), settings, std::size(settings), kConnectionWindow);
}

Http2Server::Stream* Http2Server::open_stream(std::int32_t id) {
  if (free_.empty()) {
    streams_.push_back(std::make_unique<Stream>());
    free_.push_back(streams_.back().get());
  }
  Stream* stream = free_.back();
  free_.pop_back();
  stream->id = id;
  stream->restart();
  nghttp2_session_set_stream_user_data(session_.get(), id, stream);
  return stream;
}

int Http2Server::keep_body(Stream* stream, std::string_view data) {
  if (stream->add_body(data, &bodies_)) return 0;
  stream->answered = true;
  return nghttp2_submit_rst_stream(session_.get(), NGHTTP2_FLAG_NONE, stream->id, NGHTTP2_CANCEL);
}

void Http2Server::deliver(Stream* stream) {
  if (stream->delivered || stream->answered) return;
  stream->delivered = true;
  events_->on_request(static_cast<std::uint64_t>(stream->id), stream->request());
}

bool Http2Server::respond(std::uint64_t id, const Reply& reply) {
  Stream* stream = ended_ || !failure_.empty() ? nullptr : find(static_cast<std::int32_t>(id));
  if (stream == nullptr || stream->answered) return false;
  stream->answer(reply);
  for (int i = 0; i < reply.early_hints; ++i) {
    const nghttp2_nv hint[] = {
        http2_field(":status", "103", Http2Text::kKept),
        http2_field("link", "</style.css>; rel=preload; as=style", Http2Text::kKept)};
    check(nghttp2_submit_headers(session_.get(), NGHTTP2_FLAG_NONE, stream->id, nullptr, hint,
                                 std::size(hint), nullptr));
  }
  AnswerTexts texts;
  fields_.clear();
  for_each_answer_field(reply, events_->date(), &texts,
                        [this](std::string_view name, std::string_view value) {
                          fields_.push_back(http2_field(name, value, Http2Text::kCopied));
                        });
  nghttp2_data_provider body{{}, Callbacks::read_body};
  body.source.ptr = stream;
  check(nghttp2_submit_response(session_.get(), stream->id, fields_.data(), fields_.size(),
                                stream->has_answer_body() ? &body : nullptr));
  return true;
}

void Http2Server::close_stream(Stream* stream) {
  const bool lost = stream->delivered && !stream->answered;
  const auto id = static_cast<std::uint64_t>(stream->id);
  stream->answered = true;
  if (lost) events_->on_request_lost(id);
  if (stream->close_after && !ended_ && failure_.empty()) {
    nghttp2_submit_goaway(session_.get(), NGHTTP2_FLAG_NONE,
                          nghttp2_session_get_last_proc_stream_id(session_.get()), NGHTTP2_NO_ERROR,
                          nullptr, 0);
  }
  stream->give_back_body(&bodies_);
  stream->id = 0;
  free_.push_back(stream);
}

Status Http2Server::receive(std::string_view bytes) {
  if (failure_.empty()) {
    receiving_ = true;
    const auto taken = nghttp2_session_mem_recv(
        session_.get(), reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
    receiving_ = false;
    check(static_cast<int>(std::min<ssize_t>(taken, 0)));
  }
  // A connection error shows as the GOAWAY that the library queues for it.
  if (failure_.empty()) check(pump_control_frames(session_.get(), &out_));
  if (failure_.empty()) return {};
  return tl::make_unexpected(http2_failure(failure_));
}

void Http2Server::check(int result) {
  if (result < 0 && failure_.empty()) failure_ = nghttp2_strerror(result);
  if (!failure_.empty()) lose_all();
}

void Http2Server::lose_all() {
  for (const auto& stream : streams_) {
    if (stream->id == 0 || stream->answered) continue;
    stream->answered = true;
    if (stream->delivered) events_->on_request_lost(static_cast<std::uint64_t>(stream->id));
  }
}

void Http2Server::end_of_input() {
  ended_ = true;
  out_.clear();
  lose_all();
}

std::string_view Http2Server::output() {
  if (!receiving_ && !ended_ && failure_.empty()) {
    check(pump_frames(session_.get(), kHttp2AheadBytes, &out_));
  }
  return out_.view();
}

bool Http2Server::finished() const {
  if (!out_.empty()) return false;
  return ended_ || !failure_.empty() ||
         (nghttp2_session_want_read(session_.get()) == 0 &&
          nghttp2_session_want_write(session_.get()) == 0);
}

}  // namespace hone::traffic::wire
