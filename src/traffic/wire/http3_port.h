// The connections of one UDP port: which one a datagram belongs to, what is said to one that
// belongs to none, and whose turn it is to write.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "system/deadlines.h"
#include "traffic/wire/http3_server.h"

namespace hone::traffic::wire {

class Http3Port final : public Http3Server {
 public:
  Http3Port(std::shared_ptr<GnutlsContext> context, Http3ServerEvents* events,
            std::size_t body_limit)
      : context_(std::move(context)), events_(events), body_limit_(body_limit) {}

  void receive(const system::DatagramBatch& batch, const system::PeerAddress& from,
               system::Instant now) override;
  system::Instant expiry() const override { return deadlines_.earliest(); }
  void expire(system::Instant now) override;
  bool respond(std::uint64_t connection, std::uint64_t stream, const Reply& reply) override;
  Output write(system::Instant now, std::span<char> buffer) override;
  void close() override;

 private:
  struct Stateless {  // said to one that has no connection
    std::string bytes;
    system::PeerAddress to;
  };

  void receive_one(std::string_view datagram, const system::PeerAddress& from, system::Instant now);
  Http3ServerConnection* accept(std::string_view datagram, const system::PeerAddress& from,
                                system::Instant now);
  void negotiate_version(const ngtcp2_version_cid& ids, const system::PeerAddress& to);
  void reset_statelessly(const ngtcp2_version_cid& ids, std::size_t size,
                         const system::PeerAddress& to);
  void look_after(Http3ServerConnection* connection);
  void drop(Http3ServerConnection* connection);

  const std::shared_ptr<GnutlsContext> context_;
  Http3ServerEvents* const events_;
  const std::size_t body_limit_;
  std::uint64_t next_number_ = 1;
  system::Deadlines deadlines_;  // by slot
  Http3Ids ids_;
  std::vector<std::unique_ptr<Http3ServerConnection>> slots_;
  std::vector<std::size_t> free_slots_;
  std::unordered_map<std::uint64_t, Http3ServerConnection*> by_number_;
  Http3ServerConnection* latest_ = nullptr;  // the one whose datagram is being read
  std::deque<Http3ServerConnection*> busy_;  // may have something to write
  std::vector<Stateless> stateless_;
  Stateless saying_;                // what the last write() gave out of them
  system::PeerAddress writing_to_;  // of the last write()
};

}  // namespace hone::traffic::wire
