// Events are collected while libnghttp2 works and told after it: from within an event the caller
// may submit and fetch output, and sending inside the library's receive function is not allowed.
//
// A connection error is seen by the GOAWAY that libnghttp2 queues for it; it reports nothing else
// in every case. So control frames queued while receiving are turned into output at once.
#include "traffic/wire/http2_client.h"

#include <algorithm>
#include <string_view>

#include "traffic/wire/http1_syntax.h"
#include "traffic/wire/request_fields.h"

namespace hone::traffic::wire {
namespace {

// As h2load's default (2^30 - 1): the client must never be what the subject waits for, and what is
// only counted needs no memory.
constexpr std::int32_t kWindow = (1 << 30) - 1;

// RFC 9113 6.5.2 advises peers to allow at least 100; until their SETTINGS say more, or less, that
// is what is assumed.
constexpr std::uint32_t kAssumedPeerLimit = 100;

// Odd stream ids below 2^31 (RFC 9113 5.1.1).
constexpr std::uint32_t kMaxRequests = (std::uint32_t{1} << 30) - 1;

}  // namespace

Http2Request::Http2Request(Request request) : request_(std::move(request)) {
  for_each_field(&request_, &length_, [this](std::string_view name, std::string_view value) {
    fields_.push_back(http2_field(name, value, Http2Text::kKept));
  });
}

struct Http2Client::Callbacks {
  static Stream* stream_of(nghttp2_session* session, std::int32_t id) {
    return static_cast<Stream*>(nghttp2_session_get_stream_user_data(session, id));
  }

  static int on_begin_frame(nghttp2_session* session, const nghttp2_frame_hd* head,
                            void* user_data) {
    auto* self = static_cast<Http2Client*>(user_data);
    if (const char* flood = self->budget_.take(*head)) {
      self->last_error_ = flood;
      return nghttp2_session_terminate_session(session, NGHTTP2_ENHANCE_YOUR_CALM);
    }
    return 0;
  }

  static int on_begin_headers(nghttp2_session*, const nghttp2_frame*, void* user_data) {
    static_cast<Http2Client*>(user_data)->budget_.message_moved();
    return 0;
  }

  static int on_header(nghttp2_session* session, const nghttp2_frame* frame,
                       const std::uint8_t* name, std::size_t name_size, const std::uint8_t* value,
                       std::size_t value_size, std::uint8_t, void* user_data) {
    auto* self = static_cast<Http2Client*>(user_data);
    if (!self->budget_.take_field(name_size, value_size, kMaxHeadBytes)) {
      if (Stream* stream = stream_of(session, frame->hd.stream_id)) {
        stream->fault = Failure::kHeadTooLarge;
      }
      return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;  // resets the stream
    }
    constexpr std::string_view kStatus = ":status";
    constexpr std::string_view kGrpcStatus = "grpc-status";
    const std::string_view field(reinterpret_cast<const char*>(name), name_size);
    if (self->grpc_ && field == kGrpcStatus) {
      if (Stream* stream = stream_of(session, frame->hd.stream_id)) {
        stream->summary.grpc_status =
            parse_grpc_status({reinterpret_cast<const char*>(value), value_size});
      }
      return 0;
    }
    if (name_size != kStatus.size() || name[0] != ':') return 0;
    Stream* stream = stream_of(session, frame->hd.stream_id);
    if (stream == nullptr || value_size != 3) return 0;
    // libnghttp2 has checked that it is three digits.
    stream->summary.status = (value[0] - '0') * 100 + (value[1] - '0') * 10 + (value[2] - '0');
    return 0;
  }

  static int on_data_chunk(nghttp2_session* session, std::uint8_t, std::int32_t id,
                           const std::uint8_t* data, std::size_t size, void* user_data) {
    auto* self = static_cast<Http2Client*>(user_data);
    self->budget_.message_moved();
    Stream* stream = stream_of(session, id);
    if (stream == nullptr) return 0;
    stream->summary.body_bytes += size;
    if (self->grpc_) {
      stream->messages.take({reinterpret_cast<const char*>(data), size});
    }
    return 0;
  }

  static int on_frame_recv(nghttp2_session* session, const nghttp2_frame* frame, void* user_data) {
    auto* self = static_cast<Http2Client*>(user_data);
    switch (frame->hd.type) {
      case NGHTTP2_HEADERS:
      case NGHTTP2_DATA: {
        Stream* stream = stream_of(session, frame->hd.stream_id);
        if (stream == nullptr) break;
        if (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) {
          stream->ended = true;
        } else if (frame->hd.type == NGHTTP2_HEADERS && stream->summary.status < 200 &&
                   ++stream->summary.informational > kMaxInformational) {
          stream->fault = Failure::kInformationalFlood;
          return nghttp2_submit_rst_stream(session, NGHTTP2_FLAG_NONE, frame->hd.stream_id,
                                           NGHTTP2_ENHANCE_YOUR_CALM);
        }
        break;
      }
      case NGHTTP2_SETTINGS:
        if ((frame->hd.flags & NGHTTP2_FLAG_ACK) == 0) self->settings_in_ = true;
        self->peer_limit_ =
            nghttp2_session_get_remote_settings(session, NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS);
        break;
      case NGHTTP2_GOAWAY:
        self->goaway_ = true;
        self->last_taken_ = frame->goaway.last_stream_id;
        self->why_ = Failure::kGoaway;
        break;
      default:
        break;
    }
    return 0;
  }

  static int on_stream_close(nghttp2_session* session, std::int32_t id, std::uint32_t error_code,
                             void* user_data) {
    Stream* stream = stream_of(session, id);
    if (stream != nullptr && stream->request != nullptr) {
      static_cast<Http2Client*>(user_data)->close_stream(stream, error_code);
    }
    return 0;
  }

  static int on_frame_send(nghttp2_session* session, const nghttp2_frame* frame, void* user_data) {
    if (frame->hd.type == NGHTTP2_RST_STREAM) {
      // By the library, for an answer that breaks the protocol, where there is no reason yet.
      Stream* stream = stream_of(session, frame->hd.stream_id);
      if (stream != nullptr && stream->fault == Failure::kNone) {
        stream->fault = Failure::kBrokenProtocol;
      }
      return 0;
    }
    auto* self = static_cast<Http2Client*>(user_data);
    if (frame->hd.type == NGHTTP2_GOAWAY && frame->goaway.error_code != NGHTTP2_NO_ERROR) {
      const bool flood = frame->goaway.error_code == NGHTTP2_ENHANCE_YOUR_CALM;
      self->break_off(goaway_reason(frame->goaway, self->last_error_),
                      flood ? Failure::kFlood : Failure::kBrokenProtocol);
    }
    return 0;
  }

  static int on_error(nghttp2_session*, int, const char* text, std::size_t size, void* user_data) {
    static_cast<Http2Client*>(user_data)->last_error_.assign(text, size);
    return 0;
  }

  // Tells how much of the body the next DATA frame has; send_data puts it into the output.
  static ssize_t read_body(nghttp2_session*, std::int32_t, std::uint8_t*, std::size_t room,
                           std::uint32_t* flags, nghttp2_data_source* source, void*) {
    const auto* stream = static_cast<const Stream*>(source->ptr);
    const std::size_t left = stream->request->body().size() - stream->body_sent;
    const std::size_t piece = std::min(left, room);
    *flags |= NGHTTP2_DATA_FLAG_NO_COPY;
    if (piece == left) *flags |= NGHTTP2_DATA_FLAG_EOF;
    return static_cast<ssize_t>(piece);
  }

  static int send_data(nghttp2_session*, nghttp2_frame*, const std::uint8_t* frame_head,
                       std::size_t size, nghttp2_data_source* source, void* user_data) {
    constexpr std::size_t kFrameHeadBytes = 9;  // RFC 9113 4.1
    auto* self = static_cast<Http2Client*>(user_data);
    auto* stream = static_cast<Stream*>(source->ptr);
    self->out_.append({reinterpret_cast<const char*>(frame_head), kFrameHeadBytes});
    self->out_.append(std::string_view(stream->request->body()).substr(stream->body_sent, size));
    stream->body_sent += size;
    if (!stream->body_unsent()) --self->bodies_unsent_;
    self->budget_.message_moved();
    return after_data_frame(self->out_);
  }
};

Http2Client::Http2Client(int streams, ClientEvents* events, Http2Carries carries)
    : events_(events),
      grpc_(carries == Http2Carries::kGrpc),
      streams_(static_cast<std::size_t>(std::max(streams, 1))),
      peer_limit_(kAssumedPeerLimit) {
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
  session_ = make_http2_session(Http2Side::kClient, callbacks, this);
  free_.reserve(streams_.size());
  for (auto slot = streams_.rbegin(); slot != streams_.rend(); ++slot) free_.push_back(&*slot);
  const nghttp2_settings_entry settings[] = {
      {NGHTTP2_SETTINGS_ENABLE_PUSH, 0},
      {NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, kAssumedPeerLimit},
      {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, static_cast<std::uint32_t>(kWindow)},
  };
  submit_first_settings(session_.get(), settings, std::size(settings), kWindow);
}

bool Http2Client::closing() const {
  return goaway_ || ended_ || !failure_.empty() || submitted_ >= kMaxRequests;
}

int Http2Client::free_slots() const {
  if (closing()) return 0;
  const auto limit = std::min<std::uint64_t>(streams_.size(), peer_limit_);
  return std::max(0, static_cast<int>(limit) - open_);
}

void Http2Client::submit(std::uint64_t id, const PreparedRequest& request) {
  const auto& prepared = static_cast<const Http2Request&>(request);
  Stream* stream = free_.back();
  *stream = Stream();
  stream->id = id;
  stream->request = &prepared;
  stream->summary.grpc = grpc_;
  stream->summary.grpc_status = kGrpcUnknown;  // until there is one
  nghttp2_data_provider body{{}, Callbacks::read_body};
  body.source.ptr = stream;
  stream->stream_id = nghttp2_submit_request(session_.get(), nullptr, prepared.fields().data(),
                                             prepared.fields().size(),
                                             prepared.body().empty() ? nullptr : &body, stream);
  free_.pop_back();
  ++open_;
  ++submitted_;
  if (stream->body_unsent()) ++bodies_unsent_;
  // Only for want of memory; the event then comes with the next input.
  if (stream->stream_id < 0) release(stream, Loss::kConnection, Failure::kBrokenProtocol);
}

Status Http2Client::receive(std::string_view bytes) {
  if (!failure_.empty()) {
    events_.deliver();
    return tl::make_unexpected(http2_failure(failure_));
  }
  receiving_ = true;
  const auto taken = nghttp2_session_mem_recv(
      session_.get(), reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
  receiving_ = false;
  check(static_cast<int>(std::min<ssize_t>(taken, 0)));
  // Not of a session that has failed: what it would ask for is given up.
  if (failure_.empty()) check(pump_control_frames(session_.get(), &out_));
  events_.deliver();
  if (failure_.empty()) return {};
  return tl::make_unexpected(http2_failure(failure_));
}

void Http2Client::end_of_input() {
  ended_ = true;
  out_.clear();
  Failure furthest = Failure::kClosedWhileIdle;
  for (Stream& stream : streams_) {
    if (stream.request == nullptr) continue;
    const Failure cut = cut_off(stream);
    furthest = std::max(furthest, cut);
    release(&stream, Loss::kConnection, cut);
  }
  if (why_ == Failure::kNone || furthest != Failure::kClosedWhileIdle) why_ = furthest;
  events_.deliver();
}

std::string_view Http2Client::output() {
  if (!receiving_ && !ended_ && failure_.empty()) {
    check(pump_frames(session_.get(), kHttp2AheadBytes, &out_));
  }
  return out_.view();
}

void Http2Client::check(int result) {
  if (result < 0 && failure_.empty()) {
    const Failure why = result == NGHTTP2_ERR_FLOODED ? Failure::kFlood
                        : budget_.in_header_block()   ? Failure::kHeadTooLarge
                                                      : Failure::kBrokenProtocol;
    break_off(nghttp2_strerror(result), why);
  }
  if (failure_.empty()) return;
  // libnghttp2 keeps pointers into what is lost here: output() asks it for nothing more.
  for (Stream& stream : streams_) {
    if (stream.request != nullptr) release(&stream, Loss::kConnection, why_);
  }
}

bool Http2Client::window_blocked() const {
  if (bodies_unsent_ == 0) return false;
  if (nghttp2_session_get_remote_window_size(session_.get()) <= 0) return true;
  return std::any_of(streams_.begin(), streams_.end(), [this](const Stream& stream) {
    // -1: libnghttp2 has not opened it, for the peer's limit of streams.
    return stream.body_unsent() &&
           nghttp2_session_get_stream_remote_window_size(session_.get(), stream.stream_id) == 0;
  });
}

void Http2Client::close_stream(Stream* stream, std::uint32_t error_code) {
  if (stream->ended && stream->summary.status >= 200) {
    // A call that went well has an answer.
    const bool hollow = grpc_ && stream->summary.ok() && !stream->messages.has_one_message();
    release(stream, hollow ? std::optional(Loss::kReset) : std::nullopt,
            hollow ? Failure::kBrokenProtocol : Failure::kNone);
  } else if (stream->fault != Failure::kNone) {
    release(stream, Loss::kReset, stream->fault);
  } else if (!failure_.empty()) {
    release(stream, Loss::kConnection, why_);
  } else if (error_code == NGHTTP2_REFUSED_STREAM) {
    // The library closes what a GOAWAY leaves out with the same code.
    const bool left_out = goaway_ && stream->stream_id > last_taken_;
    release(stream, Loss::kUnprocessed, left_out ? Failure::kGoaway : Failure::kRefusedStream);
  } else {
    release(stream, Loss::kReset, Failure::kStreamReset);
  }
}

void Http2Client::release(Stream* stream, std::optional<Loss> loss, Failure failure) {
  if (stream->body_unsent()) --bodies_unsent_;
  events_.add(stream->id, loss, failure, stream->summary);
  stream->request = nullptr;
  free_.push_back(stream);
  --open_;
}

void Http2Client::break_off(std::string reason, Failure why) {
  failure_ = std::move(reason);
  why_ = why;
}

Failure Http2Client::cut_off(const Stream& stream) {
  if (stream.summary.status >= 200) return Failure::kClosedInBody;
  return stream.summary.status == 0 ? Failure::kClosedBeforeAnswer : Failure::kClosedInHead;
}

}  // namespace hone::traffic::wire
