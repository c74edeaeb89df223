// HTTP/3 as a server: one connection of a port (http3_port.h).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "traffic/wire/http3_connection.h"
#include "traffic/wire/http3_ids.h"
#include "traffic/wire/server_exchange.h"

namespace hone::traffic::wire {

class Http3ServerConnection final : public Http3Connection {
 public:
  struct Place {
    std::uint64_t number = 0;  // for the events
    std::size_t slot = 0;      // the port's
    system::PeerAddress peer;
    ngtcp2_cid first{};  // the id that the client has chosen for the first packets
  };
  Http3ServerConnection(std::shared_ptr<GnutlsContext> context, Http3ServerEvents* events,
                        Http3Ids* ids, const Place& place, std::size_t body_limit);
  Status start(const ngtcp2_pkt_hd& first, system::Instant now);

  const Place& place() const { return place_; }
  std::uint64_t number() const { return place_.number; }
  const system::PeerAddress& peer() const { return place_.peer; }
  bool connected() const { return connected_; }
  // Of one that is over: for what was said in it, and not by its silence or the peer's goodbye.
  bool handshake_failed() const;

  void receive(std::string_view datagram, system::Instant now);
  void expire(system::Instant now);
  system::Instant expiry() const { return next_expiry(); }
  system::DatagramBatch write(system::Instant now, std::span<char> buffer);
  bool respond(std::uint64_t stream, const Reply& reply);
  void close() { say_goodbye(); }
  // Tells of every request that will have no answer; once, when it is over.
  void lose_all();
  void retire_ids();                // all that it was known by
  bool waits_for_dispatch = false;  // the port's: it stands among those that may have output

 private:
  struct Stream : ServerExchange {
    std::int64_t id = -1;         // -1: not in use
    std::size_t field_bytes = 0;  // of the head, or the trailers, that are being read
  };

  void on_established() override;
  void on_field(void* stream, std::int64_t id, std::string_view name,
                std::string_view value) override;
  void on_fields_begin(void* stream, std::int64_t id) override;
  void on_trailer(void* stream, std::size_t bytes) override { take_field(stream, bytes); }
  void on_head_end(void* stream, bool last) override;
  void on_body(void* stream, std::int64_t id, std::string_view bytes) override;
  void on_message_end(void* stream) override;
  void on_sent_whole(std::int64_t) override {}
  void on_reset(std::int64_t id, std::uint64_t code) override;
  void on_closed(void* stream, std::int64_t id, std::uint64_t code) override;
  void on_goaway(std::int64_t) override {}
  void on_new_id(const ngtcp2_cid& id) override { ids_->add(id, this); }
  void on_retired_id(const ngtcp2_cid& id) override { ids_->remove(id); }

  static nghttp3_ssize give_body(nghttp3_conn* http, std::int64_t id, nghttp3_vec* pieces,
                                 std::size_t room, std::uint32_t* flags, void*, void* stream);
  Stream* find(std::int64_t id);
  bool take_field(void* stream, std::size_t bytes);
  void refuse(Stream* stream);
  void lose(Stream* stream);
  void send_head(const Stream& stream, const Reply& reply);

  Http3ServerEvents* const events_;
  Http3Ids* const ids_;
  const Place place_;
  Http3Caller caller_;
  BodyBudget bodies_;
  std::vector<std::unique_ptr<Stream>> streams_;  // all there ever were at once
  std::vector<Stream*> free_;
  Stream* latest_ = nullptr;        // delivered: the one that is usually answered next
  std::vector<nghttp3_nv> fields_;  // of the answer being submitted
  bool connected_ = false;
  bool ending_ = false;  // GOAWAY was sent: it closes when its streams are done
};

}  // namespace hone::traffic::wire
