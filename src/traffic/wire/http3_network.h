// For tests and fuzz targets: an HTTP/3 client and a server joined by a network in memory, which
// delays, loses and reorders as told, under a clock that only this moves.
#pragma once

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "traffic/wire/http3.h"

namespace hone::traffic::wire {

// Certificate and key in files, for as long as this lives.
class CertificateFiles {
 public:
  CertificateFiles() {
    std::ofstream(cert()) << pair_.cert_pem;
    std::ofstream(key()) << pair_.key_pem;
  }
  ~CertificateFiles() {
    std::filesystem::remove(cert());
    std::filesystem::remove(key());
  }
  CertificateFiles(const CertificateFiles&) = delete;
  CertificateFiles& operator=(const CertificateFiles&) = delete;
  std::string cert() const { return base_ + ".cert"; }
  std::string key() const { return base_ + ".key"; }
  const CertificatePair& pair() const { return pair_; }

 private:
  const CertificatePair pair_ = *make_self_signed_certificate();
  const std::string base_ =
      std::filesystem::temp_directory_path() / ("hone-h3-" + std::to_string(::getpid()));
};

class Http3Network : public ClientEvents, public Http3ServerEvents {
 public:
  struct Datagram {
    system::Instant at;
    bool to_server;
    std::string bytes;
  };
  // Whether the n-th datagram in that direction arrives, and how late.
  using Fate = std::function<std::optional<system::Duration>(bool to_server, int n)>;

  static system::PeerAddress peer(std::uint8_t port) {  // whatever it is, it is told apart
    system::PeerAddress address;
    address.bytes[3] = port;
    address.length = 16;
    return address;
  }
  void serve(std::shared_ptr<QuicContext> context, std::size_t body_limit = 16 << 20) {
    server = *make_http3_server(std::move(context), this, body_limit);
  }
  void connect(std::shared_ptr<QuicContext> context, int streams = 100) {
    client = *make_http3_client(std::move(context), streams, this, now);
  }

  // Moves bytes and time until `condition` holds; false at the limit, or when nothing will happen.
  bool run(const std::function<bool()>& condition,
           system::Duration limit = std::chrono::seconds(60)) {
    const system::Instant end = now + limit;
    // Far more than any test needs: a busy loop would take them all.
    for (int steps = 0; steps < 1'000'000; ++steps) {
      collect();
      if (condition()) return true;
      const system::Instant next = next_event();
      if (next > end) {
        now = end;
        return false;
      }
      now = std::max(now, next);
      step();
    }
    std::abort();  // a busy loop
  }
  bool settle(system::Duration duration) {
    return run([] { return false; }, duration);
  }

  // The next datagram that is due, or the timers that are.
  void step() {
    const auto due = std::min_element(on_the_way.begin(), on_the_way.end(),
                                      [](auto& a, auto& b) { return a.at < b.at; });
    if (due != on_the_way.end() && due->at <= now) {
      const Datagram one = std::move(*due);
      on_the_way.erase(due);
      return deliver(one.to_server, one.bytes);
    }
    if (server->expiry() <= now) server->expire(now);
    if (client && status && client->expiry() <= now) status = client->expire(now);
  }

  void deliver(bool to_server, const std::string& bytes) {
    const system::DatagramBatch batch{bytes, bytes.size()};
    if (to_server) {
      server->receive(batch, address, now);
    } else if (client && status) {
      status = client->receive(batch, now);
    }
  }

  // What the two sides have to send.
  void collect() {
    std::vector<char> buffer(system::kMostBatchBytes);
    for (auto out = server->write(now, buffer); !out.batch.bytes.empty();
         out = server->write(now, buffer)) {
      system::for_each_datagram(out.batch, [&](std::string_view one) { send(false, one); });
    }
    if (!client) return;
    for (auto out = client->write(now, buffer); !out.bytes.empty();
         out = client->write(now, buffer)) {
      system::for_each_datagram(out, [&](std::string_view one) { send(true, one); });
    }
  }

  void submit(std::uint64_t id, const std::string& path, const std::string& method = "GET",
              const std::string& body = {}) {
    Request request;
    request.method = method;
    request.scheme = "https";
    request.authority = "localhost";
    request.path = path;
    request.body = body;
    prepared_.push_back(prepare_http3(request));
    client->submit(id, *prepared_.back());
  }

  void on_response(std::uint64_t id, const ResponseSummary& response) override {
    if (!is_open(id)) std::abort();
    responses[id] = response;
  }
  void on_loss(std::uint64_t id, Loss why, Failure failure) override {
    if (!is_open(id)) std::abort();
    losses[id] = {why, failure};
  }
  bool is_open(std::uint64_t id) const { return !responses.contains(id) && !losses.contains(id); }
  void on_connected(std::uint64_t) override { ++connected; }
  void on_disconnected(std::uint64_t, bool broke) override { ++(broke ? broken : disconnected); }
  void on_handshake_failed() override { ++handshakes_failed; }
  bool keeps_body(const RequestView&) override { return keeps; }
  void on_request(Http3Caller* caller, std::uint64_t stream, const RequestView& request) override {
    requests.push_back(std::string(request.method) + " " + std::string(request.path) + " " +
                       std::to_string(request.body.size()));
    body_bytes += request.body_bytes;
    if (answer) {
      const Reply reply = answer(request);
      if (reply.status != 0) server->respond(caller->connection, stream, reply);
    }
    last_request = {caller->connection, stream};
  }
  void on_request_lost(std::uint64_t, std::uint64_t) override { ++requests_lost; }

  system::Instant now = system::Instant() + std::chrono::hours(1);
  std::unique_ptr<Http3Server> server;
  std::unique_ptr<Http3Client> client;
  system::PeerAddress address = peer(1);
  Fate fate = [](bool, int) { return system::Duration(std::chrono::microseconds(50)); };
  std::function<Reply(const RequestView&)> answer;  // a status of 0: later
  Status status;                                    // of the client

  std::map<std::uint64_t, ResponseSummary> responses;
  std::map<std::uint64_t, std::pair<Loss, Failure>> losses;
  std::vector<std::string> requests;
  bool keeps = true;  // the bodies of requests
  std::uint64_t body_bytes = 0;
  std::pair<std::uint64_t, std::uint64_t> last_request;
  int connected = 0, disconnected = 0, broken = 0, handshakes_failed = 0, requests_lost = 0;
  int sent[2] = {0, 0};  // by to_server
  std::vector<Datagram> on_the_way;

 private:
  void send(bool to_server, std::string_view bytes) {
    const auto delay = fate(to_server, sent[to_server ? 1 : 0]++);
    if (delay) on_the_way.push_back({now + *delay, to_server, std::string(bytes)});
  }
  system::Instant next_event() {
    system::Instant next = server->expiry();
    if (client && status) next = std::min(next, client->expiry());
    for (const Datagram& one : on_the_way) next = std::min(next, one.at);
    return next;
  }
  std::vector<std::unique_ptr<PreparedRequest>> prepared_;
};

}  // namespace hone::traffic::wire
