// For tests: a server that draws a fault for each request, and counts what it did. It says raw
// bytes, so that it can break what a library would not.
//
// An answer that is whole reaches a client that reads: a connection that ends after one is half
// closed and read until the client closes it, and a reset comes a while after the last answer.
// Otherwise the kernel would throw away what the client has not read yet.
#pragma once

#include <sys/epoll.h>
#include <sys/socket.h>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/random.h"
#include "system/net/loop.h"
#include "system/net/socket.h"

namespace hone::traffic::load {

struct FaultCounts {
  std::uint64_t requests = 0;                  // that came in whole
  std::map<std::string, std::uint64_t> drawn;  // by the fault's name
  std::map<std::string, std::uint64_t> whole;  // final answers, sent whole, by status
};

class FaultPeer : public system::net::Pollable {
 public:
  FaultPeer(system::net::Loop* loop, Random* random, FaultCounts* counts)
      : loop_(loop), random_(random), counts_(counts) {}
  ~FaultPeer() override { close(); }
  FaultPeer(const FaultPeer&) = delete;
  FaultPeer& operator=(const FaultPeer&) = delete;

  void begin(system::net::Socket socket) {
    socket_ = std::move(socket);
    (void)loop_->add(socket_.fd(), EPOLLIN, this);
    greet();
  }
  bool gone() const { return !socket_.open(); }
  system::Instant due() const { return at_; }
  void tick(system::Instant now) {
    if (gone() || now < at_) return;
    at_ = system::Instant::max();
    std::exchange(then_, nullptr)();
  }

  void ready(std::uint32_t events) override {
    if (events & EPOLLOUT) flush();
    if (gone() || (events & ~std::uint32_t{EPOLLOUT}) == 0) return;
    char buffer[16 << 10];
    const auto io = system::net::read_some(socket_.fd(), buffer, sizeof buffer);
    if (io.state == system::net::IoState::kWouldBlock) return;
    if (io.state != system::net::IoState::kMoved) return close();
    if (!ending_) take({buffer, io.bytes});
  }

 protected:
  virtual void greet() {}
  virtual void take(std::string_view bytes) = 0;

  void say(std::string_view bytes) {
    out_.append(bytes);
    flush();
  }
  bool said_all() const { return out_.empty(); }
  void after(system::Duration wait, std::function<void()> then) {
    at_ = loop_->now() + wait;
    then_ = std::move(then);
  }
  // Ends the stream after what was said, and drops what still comes.
  void end() {
    ending_ = true;
    flush();
  }
  void reset() {  // by RST
    if (gone()) return;
    loop_->remove(socket_.fd());
    socket_.reset();
  }
  void reset_later() {
    ending_ = reset_pending_ = true;
    after(kBeforeReset, [this] { reset(); });
  }
  void read_no_more() {
    deaf_ = true;
    watch();
  }
  void close() {
    if (gone()) return;
    loop_->remove(socket_.fd());
    socket_.close();
  }

  Random& random() { return *random_; }
  FaultCounts& counts() { return *counts_; }

 private:
  // A client that waits for its turn on a busy machine has read what there is by then.
  static constexpr auto kBeforeReset = std::chrono::milliseconds(200);

  void watch() {
    std::uint32_t events = 0;
    if (!deaf_) events |= EPOLLIN;
    if (!out_.empty()) events |= EPOLLOUT;
    (void)loop_->change(socket_.fd(), events, this);
  }
  void flush() {
    while (!gone() && !out_.empty()) {
      const auto io = system::net::write_some(socket_.fd(), out_);
      if (io.state == system::net::IoState::kFailed) return close();
      if (io.state == system::net::IoState::kWouldBlock) break;
      out_.erase(0, io.bytes);
    }
    if (gone()) return;
    watch();
    if (ending_ && !reset_pending_ && out_.empty()) ::shutdown(socket_.fd(), SHUT_WR);
  }

  system::net::Loop* loop_;
  Random* random_;
  FaultCounts* counts_;
  system::net::Socket socket_;
  std::string out_;
  bool ending_ = false, reset_pending_ = false, deaf_ = false;
  system::Instant at_ = system::Instant::max();
  std::function<void()> then_;
};

template <typename Peer>
class FaultServer final : public system::net::Pollable, private system::net::Pacer {
 public:
  // `silent`: also faults that leave a request without any answer or end.
  FaultServer(system::net::Loop* loop, std::uint64_t seed, bool silent)
      : loop_(loop),
        random_(seed),
        silent_(silent),
        listener_(*system::net::listen({"127.0.0.1", 0})) {
    (void)loop_->add(listener_.fd(), EPOLLIN, this);
    loop_->add_pacer(this);
  }
  ~FaultServer() override {
    loop_->remove_pacer(this);
    loop_->remove(listener_.fd());
  }
  system::net::Address address() const { return {"127.0.0.1", system::net::local_port(listener_)}; }
  const FaultCounts& counts() const { return counts_; }

  void ready(std::uint32_t) override {
    while (true) {
      auto socket = system::net::accept_next(listener_);
      if (!socket || !socket->open()) return;
      peers_.push_back(std::make_unique<Peer>(loop_, &random_, &counts_, silent_));
      peers_.back()->begin(std::move(*socket));
    }
  }

 private:
  system::Instant advance(system::Instant now) override {
    system::Instant next = system::Instant::max();
    for (const auto& peer : peers_) {
      peer->tick(now);
      if (!peer->gone()) next = std::min(next, peer->due());
    }
    std::erase_if(peers_, [](const auto& peer) { return peer->gone(); });
    return next;
  }

  system::net::Loop* loop_;
  Random random_;
  bool silent_;
  system::net::Socket listener_;
  FaultCounts counts_;
  std::vector<std::unique_ptr<Peer>> peers_;
};

}  // namespace hone::traffic::load
