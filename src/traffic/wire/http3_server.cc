// An answer's body is handed to libnghttp3 as pointers into the filler or into the stream's own
// text, which stay where they are until the peer has acknowledged them: a stream is used again only
// once libngtcp2 has closed it.
#include "traffic/wire/http3_server.h"

#include <algorithm>

#include "traffic/wire/filler.h"
#include "traffic/wire/http1_syntax.h"

namespace hone::traffic::wire {

using system::DatagramBatch;
using system::Instant;

namespace {

// As on HTTP/2: room for a whole body at the default body limit, several of them at once.
constexpr std::uint64_t kUploadWindow = 16 << 20;
constexpr std::uint64_t kUploadsWindow = 64 << 20;
constexpr std::uint64_t kStreamsAtOnce = 256;

// As the origin's of byte streams: above the keep-alive of every client and proxy in use.
constexpr system::Duration kQuietLimit = std::chrono::minutes(5);

}  // namespace

Http3ServerConnection::Http3ServerConnection(std::shared_ptr<GnutlsContext> context,
                                             Http3ServerEvents* events, Http3Ids* ids,
                                             const Place& place, std::size_t body_limit)
    : Http3Connection(std::move(context)),
      events_(events),
      ids_(ids),
      place_(place),
      caller_{place.number},
      bodies_(body_limit) {}

Status Http3ServerConnection::start(const ngtcp2_pkt_hd& first, Instant now) {
  return start_server(first, {kUploadWindow, kUploadsWindow, kStreamsAtOnce, kQuietLimit}, now);
}

void Http3ServerConnection::on_established() {
  connected_ = true;
  events_->on_connected(number());
  gnutls_session_ticket_send(tls(), 1, 0);  // where it fails, the client comes back in full
}

bool Http3ServerConnection::handshake_failed() const {
  return !connected_ &&
         (why() == Failure::kTls || why() == Failure::kAlpn || why() == Failure::kBrokenProtocol);
}

void Http3ServerConnection::receive(std::string_view datagram, Instant now) { read(datagram, now); }

void Http3ServerConnection::expire(Instant now) { handle_expiry(now); }

DatagramBatch Http3ServerConnection::write(Instant now, std::span<char> buffer) {
  const bool idle = free_.size() == streams_.size();
  const DatagramBatch batch = write_batch(now, buffer);
  // The GOAWAY goes first, so that requests on their way are known to be unprocessed.
  if (batch.bytes.empty() && ending_ && idle && !over()) {
    say_goodbye();
    return write_batch(now, buffer);
  }
  return batch;
}

void Http3ServerConnection::on_fields_begin(void* of, std::int64_t id) {
  if (of != nullptr) {  // trailers
    static_cast<Stream*>(of)->field_bytes = 0;
    return;
  }
  if (free_.empty()) {
    streams_.push_back(std::make_unique<Stream>());
    free_.push_back(streams_.back().get());
  }
  Stream* stream = free_.back();
  free_.pop_back();
  stream->id = id;
  stream->restart();
  stream->field_bytes = 0;
  nghttp3_conn_set_stream_user_data(http(), id, stream);
}

void Http3ServerConnection::on_field(void* of, std::int64_t, std::string_view name,
                                     std::string_view value) {
  if (!take_field(of, name.size() + value.size())) return;
  static_cast<Stream*>(of)->add_field(name, value);
}

// False: it belongs to nothing, or is refused. QPACK makes kilobytes out of one byte: the limit is
// on what comes out.
bool Http3ServerConnection::take_field(void* of, std::size_t bytes) {
  auto* stream = static_cast<Stream*>(of);
  if (stream == nullptr || stream->answered) return false;
  stream->field_bytes += bytes;
  if (stream->field_bytes <= kMaxHeadBytes) return true;
  refuse(stream);
  return false;
}

void Http3ServerConnection::on_head_end(void* of, bool last) {
  auto* stream = static_cast<Stream*>(of);
  if (stream == nullptr || stream->answered || last) return;
  stream->keeps_body = events_->keeps_body(stream->request());
  if (!stream->expects_continue) return;
  const nghttp3_nv status = http3_field(":status", "100", /*copied=*/false);
  nghttp3_conn_submit_info(http(), stream->id, &status, 1);
}

void Http3ServerConnection::on_body(void* of, std::int64_t, std::string_view bytes) {
  auto* stream = static_cast<Stream*>(of);
  if (stream != nullptr && !stream->add_body(bytes, &bodies_)) refuse(stream);
}

// More than this side takes: neither read on nor answered.
void Http3ServerConnection::refuse(Stream* stream) {
  stream->answered = true;
  ngtcp2_conn_shutdown_stream(quic(), stream->id, NGHTTP3_H3_EXCESSIVE_LOAD);
}

void Http3ServerConnection::on_message_end(void* of) {
  auto* stream = static_cast<Stream*>(of);
  if (stream == nullptr || stream->delivered || stream->answered) return;
  stream->delivered = true;
  latest_ = stream;
  events_->on_request(&caller_, static_cast<std::uint64_t>(stream->id), stream->request());
}

Http3ServerConnection::Stream* Http3ServerConnection::find(std::int64_t id) {
  if (latest_ != nullptr && latest_->id == id) return latest_;
  const auto found = std::find_if(streams_.begin(), streams_.end(),
                                  [id](const auto& stream) { return stream->id == id; });
  return found == streams_.end() ? nullptr : found->get();
}

bool Http3ServerConnection::respond(std::uint64_t id, const Reply& reply) {
  Stream* stream = over() ? nullptr : find(static_cast<std::int64_t>(id));
  if (stream == nullptr || stream->answered) return false;
  stream->answer(reply);
  send_head(*stream, reply);
  return true;
}

void Http3ServerConnection::send_head(const Stream& stream, const Reply& reply) {
  for (int i = 0; i < reply.early_hints; ++i) {
    const nghttp3_nv hint[] = {
        http3_field(":status", "103", /*copied=*/false),
        http3_field("link", "</style.css>; rel=preload; as=style", /*copied=*/false)};
    nghttp3_conn_submit_info(http(), stream.id, hint, std::size(hint));
  }
  AnswerTexts texts;
  fields_.clear();
  for_each_answer_field(reply, events_->date(), &texts,
                        [this](std::string_view name, std::string_view value) {
                          fields_.push_back(http3_field(name, value, /*copied=*/true));
                        });
  const nghttp3_data_reader body{give_body};
  const int result = nghttp3_conn_submit_response(http(), stream.id, fields_.data(), fields_.size(),
                                                  stream.has_answer_body() ? &body : nullptr);
  if (result != 0) ngtcp2_conn_shutdown_stream(quic(), stream.id, NGHTTP3_H3_INTERNAL_ERROR);
}

nghttp3_ssize Http3ServerConnection::give_body(nghttp3_conn* http, std::int64_t id,
                                               nghttp3_vec* pieces, std::size_t room,
                                               std::uint32_t* flags, void*, void* of) {
  auto* stream = static_cast<Stream*>(of);
  std::size_t count = 0;
  for (; count < room && stream->sent < stream->length; ++count) {
    const std::string_view piece = stream->text.empty()
                                       ? filler(stream->sent, stream->length - stream->sent)
                                       : std::string_view(stream->text).substr(stream->sent);
    pieces[count].base = reinterpret_cast<std::uint8_t*>(const_cast<char*>(piece.data()));
    pieces[count].len = piece.size();
    stream->sent += piece.size();
  }
  if (stream->sent < stream->length) return static_cast<nghttp3_ssize>(count);
  *flags |= NGHTTP3_DATA_FLAG_EOF;
  if (stream->trailers.empty()) return static_cast<nghttp3_ssize>(count);
  *flags |= NGHTTP3_DATA_FLAG_NO_END_STREAM;
  std::vector<nghttp3_nv> fields;
  for (const Header& trailer : stream->trailers) {
    fields.push_back(http3_field(trailer.name, trailer.value, /*copied=*/true));
  }
  const int result = nghttp3_conn_submit_trailers(http, id, fields.data(), fields.size());
  return result == 0 ? static_cast<nghttp3_ssize>(count) : NGHTTP3_ERR_CALLBACK_FAILURE;
}

void Http3ServerConnection::lose(Stream* stream) {
  const bool lost = stream->delivered && !stream->answered;
  stream->answered = true;
  if (lost) events_->on_request_lost(number(), static_cast<std::uint64_t>(stream->id));
}

void Http3ServerConnection::on_reset(std::int64_t id, std::uint64_t) {
  Stream* stream = find(id);
  if (stream == nullptr || stream->answered) return;
  lose(stream);
  ngtcp2_conn_shutdown_stream_write(quic(), id, NGHTTP3_H3_REQUEST_CANCELLED);
}

void Http3ServerConnection::on_closed(void* of, std::int64_t, std::uint64_t) {
  auto* stream = static_cast<Stream*>(of);
  if (stream == nullptr) return;
  lose(stream);
  if (stream->close_after && !ending_) {
    ending_ = true;
    nghttp3_conn_shutdown(http());
  }
  if (latest_ == stream) latest_ = nullptr;
  stream->give_back_body(&bodies_);
  stream->id = -1;
  free_.push_back(stream);
}

void Http3ServerConnection::retire_ids() {
  ids_->remove(place_.first);
  if (quic() == nullptr) return;
  std::vector<ngtcp2_cid> ids(ngtcp2_conn_get_num_scid(quic()));
  ngtcp2_conn_get_scid(quic(), ids.data());
  for (const ngtcp2_cid& id : ids) ids_->remove(id);
}

void Http3ServerConnection::lose_all() {
  for (const auto& stream : streams_) {
    if (stream->id >= 0) lose(stream.get());
  }
}

}  // namespace hone::traffic::wire
