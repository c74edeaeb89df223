// A connection that is over is dropped at once, with its ids: what its peer still sends meets a
// stateless reset, which costs less than a closing period for each of thousands of connections, and
// says the same. Such answers are shorter than what they answer and bounded in number, so that two
// ends cannot keep each other busy.
//
// Addresses are not validated by Retry: a load has no victims to protect, and libngtcp2 sends no
// more than three times what came until the handshake has shown that the address is real.
#include "traffic/wire/http3_port.h"

#include <array>

namespace hone::traffic::wire {

using system::DatagramBatch;
using system::Instant;
using system::PeerAddress;

namespace {

// Stateless answers that wait for the socket; what is above may ask again.
constexpr std::size_t kMostStateless = 64;

// RFC 9000 10.3: shorter ones could not be told from a reset, and 21 bytes look like a packet.
constexpr std::size_t kSmallestTrigger = 43;
constexpr std::size_t kResetRandomBytes = 22;

const std::uint8_t* first_byte(std::string_view text) {
  return reinterpret_cast<const std::uint8_t*>(text.data());
}

}  // namespace

Result<std::unique_ptr<Http3Server>> make_http3_server(std::shared_ptr<QuicContext> context,
                                                       Http3ServerEvents* events,
                                                       std::size_t body_limit) {
  return std::make_unique<Http3Port>(std::static_pointer_cast<GnutlsContext>(std::move(context)),
                                     events, body_limit);
}

void Http3Port::receive(const DatagramBatch& batch, const PeerAddress& from, Instant now) {
  system::for_each_datagram(batch, [&](std::string_view one) { receive_one(one, from, now); });
}

void Http3Port::receive_one(std::string_view datagram, const PeerAddress& from, Instant now) {
  ngtcp2_version_cid ids{};
  const int result = ngtcp2_pkt_decode_version_cid(&ids, first_byte(datagram), datagram.size(),
                                                   kConnectionIdBytes);
  if (result == NGTCP2_ERR_VERSION_NEGOTIATION) {
    // RFC 9000 6.1: only to what could have begun a connection.
    if (datagram.size() >= NGTCP2_MAX_UDP_PAYLOAD_SIZE) negotiate_version(ids, from);
    return;
  }
  if (result != 0) return;
  Http3ServerConnection* connection = ids_.find(ids.dcid, ids.dcidlen);
  if (connection == nullptr) {
    const bool is_long = (static_cast<std::uint8_t>(datagram.front()) & 0x80) != 0;
    if (!is_long) return reset_statelessly(ids, datagram.size(), from);
    connection = accept(datagram, from, now);
    if (connection == nullptr) return;
  }
  if (connection->peer() != from) return;  // no migration: see http3.h
  latest_ = connection;
  connection->receive(datagram, now);
  latest_ = nullptr;
  look_after(connection);
}

Http3ServerConnection* Http3Port::accept(std::string_view datagram, const PeerAddress& from,
                                         Instant now) {
  ngtcp2_pkt_hd head{};
  if (ngtcp2_accept(&head, first_byte(datagram), datagram.size()) != 0) return nullptr;
  if (free_slots_.empty()) {
    free_slots_.push_back(slots_.size());
    slots_.emplace_back();
  }
  Http3ServerConnection::Place place;
  place.number = next_number_++;
  place.slot = free_slots_.back();
  place.peer = from;
  place.first = head.dcid;
  auto made = std::make_unique<Http3ServerConnection>(context_, events_, &ids_, place, body_limit_);
  Http3ServerConnection* connection = made.get();
  free_slots_.pop_back();
  slots_[place.slot] = std::move(made);
  by_number_.emplace(place.number, connection);
  ids_.add(head.dcid, connection);
  if (connection->start(head, now)) return connection;
  drop(connection);
  return nullptr;
}

void Http3Port::negotiate_version(const ngtcp2_version_cid& ids, const PeerAddress& to) {
  if (stateless_.size() >= kMostStateless) return;
  const std::uint32_t versions[] = {NGTCP2_PROTO_VER_V1};
  std::array<std::uint8_t, NGTCP2_MAX_UDP_PAYLOAD_SIZE> packet;
  std::uint8_t unused = 0;
  fill_randomly(&unused, 1);
  const auto size = ngtcp2_pkt_write_version_negotiation(
      packet.data(), packet.size(), unused, ids.scid, ids.scidlen, ids.dcid, ids.dcidlen, versions,
      std::size(versions));
  if (size <= 0) return;
  stateless_.push_back({{packet.begin(), packet.begin() + size}, to});
}

void Http3Port::reset_statelessly(const ngtcp2_version_cid& ids, std::size_t size,
                                  const PeerAddress& to) {
  if (size < kSmallestTrigger || stateless_.size() >= kMostStateless) return;
  ngtcp2_cid id{};
  ngtcp2_cid_init(&id, ids.dcid, ids.dcidlen);
  std::array<std::uint8_t, NGTCP2_STATELESS_RESET_TOKENLEN> token{};
  const auto& secret = context_->reset_secret();
  if (ngtcp2_crypto_generate_stateless_reset_token(token.data(), secret.data(), secret.size(),
                                                   &id) != 0) {
    return;
  }
  std::array<std::uint8_t, kResetRandomBytes> random{};
  fill_randomly(random.data(), random.size());
  std::array<std::uint8_t, kSmallestTrigger> packet;
  const auto written = ngtcp2_pkt_write_stateless_reset(packet.data(), packet.size(), token.data(),
                                                        random.data(), random.size());
  if (written <= 0) return;
  stateless_.push_back({{packet.begin(), packet.begin() + written}, to});
}

// After anything that may have given it something to write, moved its deadline, or ended it.
void Http3Port::look_after(Http3ServerConnection* connection) {
  deadlines_.set(connection->place().slot, connection->expiry());
  if (connection->waits_for_dispatch) return;
  connection->waits_for_dispatch = true;
  busy_.push_back(connection);
}

void Http3Port::expire(Instant now) {
  while (deadlines_.earliest() <= now) {
    Http3ServerConnection* connection = slots_[deadlines_.first()].get();
    connection->expire(now);
    look_after(connection);
  }
}

bool Http3Port::respond(std::uint64_t number, std::uint64_t stream, const Reply& reply) {
  Http3ServerConnection* connection = latest_;
  if (connection == nullptr || connection->number() != number) {
    const auto found = by_number_.find(number);
    if (found == by_number_.end()) return false;
    connection = found->second;
  }
  if (!connection->respond(stream, reply)) return false;
  if (connection != latest_) look_after(connection);
  return true;
}

Http3Server::Output Http3Port::write(Instant now, std::span<char> buffer) {
  if (!stateless_.empty()) {
    saying_ = std::move(stateless_.back());
    stateless_.pop_back();
    return {{saying_.bytes, saying_.bytes.size()}, &saying_.to};
  }
  while (!busy_.empty()) {
    Http3ServerConnection* connection = busy_.front();
    busy_.pop_front();
    const DatagramBatch batch = connection->write(now, buffer);
    writing_to_ = connection->peer();
    connection->waits_for_dispatch = false;
    if (connection->over() && !connection->has_last_word()) {
      drop(connection);
    } else if (batch.bytes.empty() && !connection->over()) {
      deadlines_.set(connection->place().slot, connection->expiry());
    } else {
      look_after(connection);  // there may be more, behind the others
    }
    if (!batch.bytes.empty()) return {batch, &writing_to_};
  }
  return {};
}

void Http3Port::drop(Http3ServerConnection* connection) {
  const Http3ServerConnection::Place place = connection->place();
  connection->lose_all();
  if (connection->connected()) {
    events_->on_disconnected(place.number, connection->broken());
  } else if (connection->handshake_failed()) {
    events_->on_handshake_failed();
  }
  connection->retire_ids();
  by_number_.erase(place.number);
  deadlines_.set(place.slot, Instant::max());
  slots_[place.slot].reset();
  free_slots_.push_back(place.slot);
}

void Http3Port::close() {
  for (const auto& connection : slots_) {
    if (connection == nullptr) continue;
    connection->close();
    look_after(connection.get());
  }
}

}  // namespace hone::traffic::wire
