// For tests: a tiny HTTP/1 server on a loop that misbehaves as told, request by request.
#pragma once

#include <sys/epoll.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "system/net/loop.h"
#include "system/net/socket.h"

namespace hone::traffic::load {

enum class Fate {
  kAnswer,
  kError,        // 503
  kStall,        // answers 200 ms later
  kNever,        // no answer, the connection stays
  kReset,        // RST instead of an answer
  kMidBody,      // closes after half of the body
  kAnswerClose,  // answers and then closes without having said so
  kGarbage,      // not HTTP
  kAnswerDeaf,   // answers and reads no more
};

class RawServer final : public system::net::Pollable, private system::net::Pacer {
 public:
  // `fate` is asked with the number of the request, over all connections.
  RawServer(system::net::Loop* loop, std::function<Fate(int)> fate)
      : loop_(loop), fate_(std::move(fate)), listener_(*system::net::listen({"127.0.0.1", 0})) {
    (void)loop_->add(listener_.fd(), EPOLLIN, this);
    loop_->add_pacer(this);
  }
  ~RawServer() override {
    loop_->remove_pacer(this);
    loop_->remove(listener_.fd());
    for (const auto& peer : peers_) {
      if (peer->socket.open()) loop_->remove(peer->socket.fd());
    }
  }
  system::net::Address address() const { return {"127.0.0.1", system::net::local_port(listener_)}; }
  int connections() const { return static_cast<int>(peers_.size()); }
  int requests() const { return requests_; }
  void close_all() {
    for (const auto& peer : peers_) peer->end(false);
  }

  void ready(std::uint32_t) override {
    while (true) {
      auto socket = system::net::accept_next(listener_);
      if (!socket || !socket->open()) return;
      peers_.push_back(std::make_unique<Peer>());
      peers_.back()->server = this;
      peers_.back()->socket = std::move(*socket);
      (void)loop_->add(peers_.back()->socket.fd(), EPOLLIN, peers_.back().get());
    }
  }

 private:
  struct Peer final : system::net::Pollable {
    RawServer* server = nullptr;
    system::net::Socket socket;
    std::string input;
    system::Instant answer_at = system::Instant::max();

    void ready(std::uint32_t) override {
      char buffer[4096];
      const auto io = system::net::read_some(socket.fd(), buffer, sizeof buffer);
      if (io.state == system::net::IoState::kWouldBlock) return;
      if (io.state != system::net::IoState::kMoved) return end(false);
      input.append(buffer, io.bytes);
      if (input.find("\r\n\r\n") == std::string::npos) {
        if (input.size() > 3) input.erase(0, input.size() - 3);  // a large body passes by
        return;
      }
      input.clear();
      act(server->fate_(server->requests_++));
    }
    void act(Fate fate) {
      switch (fate) {
        case Fate::kAnswer:
          return send("HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nbody");
        case Fate::kError:
          return send("HTTP/1.1 503 No\r\ncontent-length: 0\r\n\r\n");
        case Fate::kStall:
          answer_at = server->loop_->now() + std::chrono::milliseconds(200);
          return;
        case Fate::kNever:
          return;
        case Fate::kReset:
          return end(true);
        case Fate::kMidBody:
          send("HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nbo");
          return end(false);
        case Fate::kAnswerClose:
          send("HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nbody");
          return end(false);
        case Fate::kGarbage:
          return send("SSH-2.0-OpenSSH\r\n\r\n");
        case Fate::kAnswerDeaf:
          (void)server->loop_->change(socket.fd(), 0, this);
          return act(Fate::kAnswer);
      }
    }
    void send(std::string_view text) { system::net::write_some(socket.fd(), text); }
    void end(bool reset) {
      if (!socket.open()) return;
      server->loop_->remove(socket.fd());
      reset ? socket.reset() : socket.close();
    }
  };

  system::Instant advance(system::Instant now) override {
    system::Instant next = system::Instant::max();
    for (const auto& peer : peers_) {
      if (peer->answer_at <= now) {
        peer->answer_at = system::Instant::max();
        if (peer->socket.open()) peer->act(Fate::kAnswer);
      }
      next = std::min(next, peer->answer_at);
    }
    return next;
  }

  system::net::Loop* loop_;
  std::function<Fate(int)> fate_;
  system::net::Socket listener_;
  std::vector<std::unique_ptr<Peer>> peers_;
  int requests_ = 0;
};

}  // namespace hone::traffic::load
