// A request is over with the end of its response. Its stream lives on until the peer has what was
// sent on it, and libnghttp3 reads from the request until then: which is why a PreparedRequest
// outlives its session.
//
// Events are collected while the libraries work and told after it: from within an event the caller
// may submit.
#include "traffic/wire/http3_client.h"

#include <algorithm>

#include "traffic/wire/http1_syntax.h"
#include "traffic/wire/request_fields.h"

namespace hone::traffic::wire {

using system::DatagramBatch;
using system::Instant;

namespace {

// What comes in order is counted and given back at once, so a window is never in the subject's way.
// What comes out of order is kept until the gap is filled, and there is no other bound on that:
// these are smaller than HTTP/2's, whose bytes come in order. As the server's own
// (http3_server.cc); 64 MiB within a round trip of 10 ms are 50 Gbit/s.
constexpr std::uint64_t kAnswerWindow = 16 << 20;
constexpr std::uint64_t kAnswersWindow = 64 << 20;

// A resting connection says that it is there well within the peer's idle timeout (RFC 9000 10.1.2),
// and once more before that ends: one such packet may be lost.
constexpr int kKeepAlivesInIdleTimeout = 3;

}  // namespace

bool http3_is_built() { return true; }

std::unique_ptr<PreparedRequest> prepare_http3(const Request& request) {
  return std::make_unique<Http3Request>(request);
}

Result<std::unique_ptr<Http3Client>> make_http3_client(std::shared_ptr<QuicContext> context,
                                                       int streams, ClientEvents* events,
                                                       Instant now, bool resume) {
  auto made = std::make_unique<Http3ClientConnection>(
      std::static_pointer_cast<GnutlsContext>(std::move(context)), streams, events);
  HONE_CHECK(made->start(resume, now));
  return made;
}

Http3Request::Http3Request(Request request) : request_(std::move(request)) {
  for_each_field(&request_, &length_, [this](std::string_view name, std::string_view value) {
    fields_.push_back(http3_field(name, value, /*copied=*/false));
  });
}

Http3ClientConnection::Http3ClientConnection(std::shared_ptr<GnutlsContext> context, int streams,
                                             ClientEvents* events)
    : Http3Connection(std::move(context)), events_(events), limit_(std::max(streams, 1)) {}

Status Http3ClientConnection::start(bool resume, Instant now) {
  return start_client({kAnswerWindow, kAnswersWindow, 0, {}}, resume, now);
}

void Http3ClientConnection::on_established() {
  established_ = true;
  const ngtcp2_transport_params* peer = ngtcp2_conn_get_remote_transport_params(quic());
  if (peer != nullptr && peer->max_idle_timeout > 0) {
    ngtcp2_conn_set_keep_alive_timeout(quic(), peer->max_idle_timeout / kKeepAlivesInIdleTimeout);
  }
}

bool Http3ClientConnection::ready() const {
  return established_ && !over() && http() != nullptr &&
         (open_ > 0 || ngtcp2_conn_get_streams_bidi_left(quic()) > 0);
}

int Http3ClientConnection::free_slots() const {
  if (!established_ || closing() || http() == nullptr) return 0;
  const std::uint64_t left = ngtcp2_conn_get_streams_bidi_left(quic());
  return static_cast<int>(
      std::min<std::uint64_t>(static_cast<std::uint64_t>(limit_ - open_), left));
}

Http3ClientConnection::Stream* Http3ClientConnection::take_stream() {
  if (free_.empty()) {
    streams_.push_back(std::make_unique<Stream>());
    free_.push_back(streams_.back().get());
  }
  Stream* stream = free_.back();
  free_.pop_back();
  *stream = Stream();
  return stream;
}

void Http3ClientConnection::submit(std::uint64_t id, const PreparedRequest& request) {
  const auto& prepared = static_cast<const Http3Request&>(request);
  Stream* stream = take_stream();
  stream->id = id;
  stream->request = &prepared;
  stream->open = true;
  ++open_;
  const bool has_body = !prepared.body().empty();
  const nghttp3_data_reader body{give_body};
  int result = ngtcp2_conn_open_bidi_stream(quic(), &stream->stream_id, nullptr);
  if (result == 0) {
    result =
        nghttp3_conn_submit_request(http(), stream->stream_id, prepared.fields().data(),
                                    prepared.fields().size(), has_body ? &body : nullptr, stream);
  }
  if (result == 0) {
    stream->body_unsent = has_body;
    if (has_body) ++bodies_unsent_;
    return;
  }
  // Only for want of memory; the event comes with the next input.
  finish(stream, Loss::kConnection, Failure::kBrokenProtocol);
  stream->stream_id = -1;
  free_.push_back(stream);
}

nghttp3_ssize Http3ClientConnection::give_body(nghttp3_conn*, std::int64_t, nghttp3_vec* pieces,
                                               std::size_t, std::uint32_t* flags, void*,
                                               void* stream) {
  const std::string& body = static_cast<Stream*>(stream)->request->body();
  pieces[0].base = reinterpret_cast<std::uint8_t*>(const_cast<char*>(body.data()));
  pieces[0].len = body.size();
  *flags |= NGHTTP3_DATA_FLAG_EOF;
  return 1;
}

Status Http3ClientConnection::receive(const DatagramBatch& batch, Instant now) {
  system::for_each_datagram(batch, [&](std::string_view one) { read(one, now); });
  return deliver();
}

Status Http3ClientConnection::expire(Instant now) {
  handle_expiry(now);
  return deliver();
}

Instant Http3ClientConnection::expiry() const {
  // What went wrong while writing is told by expire().
  return over() ? Instant::min() : next_expiry();
}

void Http3ClientConnection::on_fields_begin(void* of, std::int64_t) {
  if (of != nullptr) static_cast<Stream*>(of)->field_bytes = 0;
}

// QPACK makes kilobytes out of one byte: the limit is on what comes out.
void Http3ClientConnection::take_field(void* of, std::size_t bytes) {
  auto* stream = static_cast<Stream*>(of);
  if (stream == nullptr) return;
  stream->field_bytes += bytes;
  if (stream->field_bytes > kMaxHeadBytes) refuse(stream, Failure::kHeadTooLarge);
}

void Http3ClientConnection::on_field(void* of, std::int64_t, std::string_view name,
                                     std::string_view value) {
  take_field(of, name.size() + value.size());
  if (name != ":status" || value.size() != 3 || of == nullptr) return;
  // libnghttp3 has checked that it is three digits.
  static_cast<Stream*>(of)->summary.status =
      (value[0] - '0') * 100 + (value[1] - '0') * 10 + (value[2] - '0');
}

void Http3ClientConnection::on_head_end(void* of, bool last) {
  auto* stream = static_cast<Stream*>(of);
  if (stream == nullptr || last || stream->summary.status >= 200) return;
  if (++stream->summary.informational > kMaxInformational) {
    refuse(stream, Failure::kInformationalFlood);
  }
}

void Http3ClientConnection::on_body(void* of, std::int64_t, std::string_view bytes) {
  if (of != nullptr) static_cast<Stream*>(of)->summary.body_bytes += bytes.size();
}

void Http3ClientConnection::on_message_end(void* of) {
  if (of == nullptr) return;
  auto* stream = static_cast<Stream*>(of);
  if (stream->summary.status >= 200) finish(stream, std::nullopt, Failure::kNone);
}

void Http3ClientConnection::on_sent_whole(std::int64_t id) {
  if (bodies_unsent_ == 0) return;
  if (Stream* stream = find(id)) body_is_sent(stream);
}

// RFC 9114 4.1.1: rejected before any of it was looked at.
void Http3ClientConnection::lose_reset(Stream* stream, std::uint64_t code) {
  const bool rejected = code == NGHTTP3_H3_REQUEST_REJECTED;
  finish(stream, rejected ? Loss::kUnprocessed : Loss::kReset,
         rejected ? Failure::kRefusedStream : Failure::kStreamReset);
}

// More than this side takes: its stream alone ends.
void Http3ClientConnection::refuse(Stream* stream, Failure why) {
  if (!stream->open) return;
  finish(stream, Loss::kReset, why);
  body_is_sent(stream);
  ngtcp2_conn_shutdown_stream(quic(), stream->stream_id, NGHTTP3_H3_EXCESSIVE_LOAD);
}

void Http3ClientConnection::on_reset(std::int64_t id, std::uint64_t code) {
  Stream* stream = find(id);
  if (stream == nullptr || !stream->open) return;
  lose_reset(stream, code);
  // Nobody waits for the rest of the request.
  ngtcp2_conn_shutdown_stream_write(quic(), id, NGHTTP3_H3_REQUEST_CANCELLED);
}

void Http3ClientConnection::on_closed(void* of, std::int64_t, std::uint64_t code) {
  if (of == nullptr) return;
  auto* stream = static_cast<Stream*>(of);
  lose_reset(stream, code);
  body_is_sent(stream);
  stream->stream_id = -1;
  free_.push_back(stream);
}

void Http3ClientConnection::on_goaway(std::int64_t from) {
  goaway_ = true;
  for (const auto& stream : streams_) {
    if (!stream->open || stream->stream_id < from) continue;
    finish(stream.get(), Loss::kUnprocessed, Failure::kGoaway);
    ngtcp2_conn_shutdown_stream(quic(), stream->stream_id, NGHTTP3_H3_REQUEST_CANCELLED);
  }
}

Http3ClientConnection::Stream* Http3ClientConnection::find(std::int64_t stream_id) {
  const auto found =
      std::find_if(streams_.begin(), streams_.end(),
                   [stream_id](const auto& stream) { return stream->stream_id == stream_id; });
  return found == streams_.end() ? nullptr : found->get();
}

void Http3ClientConnection::finish(Stream* stream, std::optional<Loss> loss, Failure failure) {
  if (!stream->open) return;
  stream->open = false;
  --open_;
  events_.add(stream->id, loss, failure, stream->summary);
}

Failure Http3ClientConnection::cut_off(const Stream& stream) const {
  if (why() != Failure::kNone) return why();
  if (stream.summary.status >= 200) return Failure::kClosedInBody;
  return stream.summary.status == 0 ? Failure::kClosedBeforeAnswer : Failure::kClosedInHead;
}

Failure Http3ClientConnection::failure() const {
  if (over() && why() != Failure::kNone) return why();
  if (furthest_ != Failure::kNone) return furthest_;
  if (goaway_) return Failure::kGoaway;
  return over() ? Failure::kClosedWhileIdle : Failure::kNone;
}

void Http3ClientConnection::body_is_sent(Stream* stream) {
  if (stream->body_unsent) --bodies_unsent_;
  stream->body_unsent = false;
}

bool Http3ClientConnection::window_blocked() const {
  if (bodies_unsent_ == 0 || over()) return false;
  if (ngtcp2_conn_get_max_data_left(quic()) == 0) return true;
  return std::any_of(streams_.begin(), streams_.end(), [this](const auto& stream) {
    return stream->body_unsent &&
           ngtcp2_conn_get_max_stream_data_left(quic(), stream->stream_id) == 0;
  });
}

Status Http3ClientConnection::deliver() {
  if (over()) {
    for (const auto& stream : streams_) {
      if (!stream->open) continue;
      const Failure cut = cut_off(*stream);
      furthest_ = std::max(furthest_, cut);
      finish(stream.get(), Loss::kConnection, cut);
    }
  }
  events_.deliver();
  if (!over()) return {};
  return fail(ErrorKind::kNetwork, reason());
}

}  // namespace hone::traffic::wire
