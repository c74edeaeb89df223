// For tests: a server of HTTP/3 that does to each request what the test says, and so can do what
// Http3Server never would. Its connections are told apart by the peer's address alone.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "traffic/wire/http3_connection.h"

namespace hone::traffic::wire {

// A connection that takes everything and does nothing by itself.
class RawHttp3Connection : public Http3Connection {
 public:
  explicit RawHttp3Connection(std::shared_ptr<GnutlsContext> context)
      : Http3Connection(std::move(context)) {}
  using Http3Connection::handle_expiry;
  using Http3Connection::http;
  using Http3Connection::next_expiry;
  using Http3Connection::read;
  using Http3Connection::say_goodbye;
  using Http3Connection::tls;
  using Http3Connection::write_batch;

 protected:
  void on_established() override {}
  void on_field(void*, std::int64_t, std::string_view, std::string_view) override {}
  void on_fields_begin(void*, std::int64_t) override {}
  void on_trailer(void*, std::size_t) override {}
  void on_head_end(void*, bool) override {}
  void on_body(void*, std::int64_t, std::string_view) override {}
  void on_message_end(void*) override {}
  void on_sent_whole(std::int64_t) override {}
  void on_reset(std::int64_t, std::uint64_t) override {}
  void on_closed(void*, std::int64_t, std::uint64_t) override {}
  void on_goaway(std::int64_t) override {}
  void on_new_id(const ngtcp2_cid&) override {}
  void on_retired_id(const ngtcp2_cid&) override {}
};

class ScriptedHttp3Connection final : public RawHttp3Connection {
 public:
  using Script = std::function<void(ScriptedHttp3Connection&, std::int64_t stream)>;

  // `script` is called for each request that is whole, from within the libraries.
  ScriptedHttp3Connection(std::shared_ptr<GnutlsContext> context, const Script* script)
      : RawHttp3Connection(std::move(context)), script_(script) {}

  Status start(const ngtcp2_pkt_hd& first, system::Instant now) {
    // More than any test needs of each.
    constexpr std::uint64_t kWindow = 64 << 20, kStreams = 256;
    return start_server(first, {kWindow, kWindow, kStreams, std::chrono::minutes(1)}, now);
  }
  // By ALPN: knows another protocol alone, and goes on. Before the first packet is read.
  void agree_to_nothing() {
    std::string other = "h2";
    const gnutls_datum_t protocol{reinterpret_cast<unsigned char*>(other.data()), 2};
    gnutls_alpn_set_protocols(tls(), &protocol, 1, 0);
    gnutls_handshake_set_hook_function(tls(), GNUTLS_HANDSHAKE_CLIENT_HELLO, GNUTLS_HOOK_POST,
                                       nullptr);
  }

  // What a script can do. `ends` is false: the body stops there, and the stream stays open.
  void answer(std::int64_t stream, const char* status, const std::vector<Header>& fields = {},
              std::string body = {}, bool ends = true) {
    Answer& answer = answers_[stream];
    answer.body = std::move(body);
    answer.ends = ends;
    std::vector<nghttp3_nv> all{http3_field(":status", status, true)};
    for (const Header& one : fields) all.push_back(http3_field(one.name, one.value, true));
    const bool head_only = answer.ends && answer.body.empty() && answer.trailers.empty();
    const nghttp3_data_reader reader{give};
    nghttp3_conn_submit_response(http(), stream, all.data(), all.size(),
                                 head_only ? nullptr : &reader);
  }
  void trailers(std::int64_t stream, std::vector<Header> fields) {  // before its answer()
    answers_[stream].trailers = std::move(fields);
  }
  void hint(std::int64_t stream, int count) {
    const nghttp3_nv status = http3_field(":status", "103", true);
    for (; count > 0; --count) nghttp3_conn_submit_info(http(), stream, &status, 1);
  }
  // Once what was said before has been written.
  void reset(std::int64_t stream, std::uint64_t code) {
    then_.push_back([this, stream, code] { ngtcp2_conn_shutdown_stream(quic(), stream, code); });
  }
  void goaway() { nghttp3_conn_shutdown(http()); }
  // Once the peer has every answer that ends; requests that still come are not looked at.
  void close_soon() { closing_ = true; }
  bool closing() const { return closing_; }

  system::DatagramBatch write(system::Instant now, std::span<char> buffer) {
    const system::DatagramBatch batch = write_batch(now, buffer);
    if (!batch.bytes.empty() || over()) return batch;
    if (closing_ && unacknowledged_ == 0) say_goodbye();
    for (const auto& act : std::exchange(then_, {})) act();
    return write_batch(now, buffer);
  }

 private:
  struct Answer {
    std::int64_t stream = -1;
    std::string body;
    std::vector<Header> trailers;
    bool ends = false, given = false;
  };

  static nghttp3_ssize give(nghttp3_conn* http, std::int64_t id, nghttp3_vec* pieces, std::size_t,
                            std::uint32_t* flags, void*, void* of) {
    auto& answer = *static_cast<Answer*>(of);
    if (answer.given) return NGHTTP3_ERR_WOULDBLOCK;  // for ever
    answer.given = true;
    pieces[0] = {reinterpret_cast<std::uint8_t*>(answer.body.data()), answer.body.size()};
    const nghttp3_ssize count = answer.body.empty() ? 0 : 1;
    if (!answer.ends) return count;
    *flags |= NGHTTP3_DATA_FLAG_EOF;
    if (answer.trailers.empty()) return count;
    *flags |= NGHTTP3_DATA_FLAG_NO_END_STREAM;
    std::vector<nghttp3_nv> fields;
    for (const Header& one : answer.trailers) {
      fields.push_back(http3_field(one.name, one.value, true));
    }
    nghttp3_conn_submit_trailers(http, id, fields.data(), fields.size());
    return count;
  }
  void on_fields_begin(void* of, std::int64_t id) override {
    if (of != nullptr) return;
    answers_[id].stream = id;
    nghttp3_conn_set_stream_user_data(http(), id, &answers_[id]);
  }
  void on_message_end(void* of) override {
    if (closing_) return;
    const Answer& answer = *static_cast<Answer*>(of);
    (*script_)(*this, answer.stream);
    if (answer.ends) ++unacknowledged_;
  }
  void on_closed(void* of, std::int64_t id, std::uint64_t) override {
    if (of != nullptr && static_cast<Answer*>(of)->ends) --unacknowledged_;
    answers_.erase(id);
  }

  const Script* const script_;
  std::map<std::int64_t, Answer> answers_;
  std::vector<std::function<void()>> then_;
  int unacknowledged_ = 0;  // answers that end
  bool closing_ = false;
};

class ScriptedHttp3Server final : public Http3Server {
 public:
  ScriptedHttp3Server(std::shared_ptr<QuicContext> context, ScriptedHttp3Connection::Script script)
      : context_(std::static_pointer_cast<GnutlsContext>(std::move(context))),
        script_(std::move(script)) {}

  void receive(const system::DatagramBatch& batch, const system::PeerAddress& from,
               system::Instant now) override {
    system::for_each_datagram(batch, [&](std::string_view one) {
      if (ScriptedHttp3Connection* connection = find_or_accept(one, from, now)) {
        connection->read(one, now);
      }
    });
  }
  system::Instant expiry() const override {
    system::Instant next = system::Instant::max();
    for (const auto& [peer, connection] : connections_) {
      next = std::min(next, connection->next_expiry());
    }
    return next;
  }
  void expire(system::Instant now) override {
    for (const auto& [peer, connection] : connections_) connection->handle_expiry(now);
  }
  bool respond(std::uint64_t, std::uint64_t, const Reply&) override { return false; }
  Output write(system::Instant now, std::span<char> buffer) override {
    for (auto& [peer, connection] : connections_) {
      const system::DatagramBatch batch = connection->write(now, buffer);
      if (!batch.bytes.empty()) return {batch, &peer};
    }
    std::erase_if(connections_, [](const auto& entry) { return entry.second->over(); });
    return {};
  }
  void close() override {
    for (const auto& [peer, connection] : connections_) connection->say_goodbye();
  }

  bool agrees = true;  // to "h3", by ALPN; of connections to come
  ScriptedHttp3Connection* only() { return connections_.front().second.get(); }

 private:
  ScriptedHttp3Connection* find_or_accept(std::string_view datagram,
                                          const system::PeerAddress& from, system::Instant now) {
    for (const auto& [peer, connection] : connections_) {
      if (peer == from) return connection.get();
    }
    ngtcp2_pkt_hd head{};
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(datagram.data());
    if (ngtcp2_accept(&head, bytes, datagram.size()) != 0) return nullptr;
    auto made = std::make_unique<ScriptedHttp3Connection>(context_, &script_);
    if (!made->start(head, now)) return nullptr;
    if (!agrees) made->agree_to_nothing();
    connections_.emplace_back(from, std::move(made));
    return connections_.back().second.get();
  }

  const std::shared_ptr<GnutlsContext> context_;
  const ScriptedHttp3Connection::Script script_;
  std::vector<std::pair<system::PeerAddress, std::unique_ptr<ScriptedHttp3Connection>>>
      connections_;
};

}  // namespace hone::traffic::wire
