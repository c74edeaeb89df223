// For tests: HTTP/3 answers, whole and otherwise, over a real socket. An answer that is whole has
// reached the client before its connection ends.
#pragma once

#include <string>
#include <vector>

#include "system/net/datagram.h"
#include "traffic/load/fault_server.h"
#include "traffic/wire/http3_network.h"
#include "traffic/wire/http3_scripted_server.h"

namespace hone::traffic::load {

class Http3FaultServer final : public system::net::Pollable, private system::net::Pacer {
 public:
  // `silent`: also faults that leave a request without any answer or end.
  Http3FaultServer(system::net::Loop* loop, std::uint64_t seed, bool silent)
      : loop_(loop),
        random_(seed),
        silent_(silent),
        socket_(*system::net::bind_datagrams({"127.0.0.1", 0})),
        reader_(32),
        sender_(system::net::Packets::kTogether),
        output_(system::kMostBatchBytes),
        server_(
            *wire::QuicContext::server(files_.cert(), files_.key()),
            [this](Connection& connection, std::int64_t stream) { request(connection, stream); }) {
    (void)loop_->add(socket_.fd(), EPOLLIN, this);
    loop_->add_pacer(this);
  }
  ~Http3FaultServer() override {
    loop_->remove_pacer(this);
    loop_->remove(socket_.fd());
  }
  system::net::Address address() const { return {"127.0.0.1", system::net::local_port(socket_)}; }
  const FaultCounts& counts() const { return counts_; }

  void ready(std::uint32_t) override {
    const auto io = reader_.read(socket_.fd());
    if (io.state == system::net::IoState::kMoved) {
      const system::Instant now = system::net::Loop::read_clock();
      for (const auto& arrival : reader_.arrivals()) {
        server_.receive(arrival.batch, arrival.from, now);
      }
    }
    flush();
  }

 private:
  using Connection = wire::ScriptedHttp3Connection;
  using Self = Http3FaultServer;
  struct Fault {
    const char* name;
    int weight;
    void (Self::*act)(Connection& connection, std::int64_t stream);
  };

  system::Instant advance(system::Instant now) override {
    if (server_.expiry() <= now) {
      server_.expire(now);
      flush();
    }
    return server_.expiry();
  }
  void flush() {
    const system::Instant now = system::net::Loop::read_clock();
    for (auto out = server_.write(now, output_); !out.batch.bytes.empty();
         out = server_.write(now, output_)) {
      // What the kernel does not take is lost, as on the way.
      sender_.send(socket_.fd(), out.batch, out.to);
      sender_.clear();
    }
  }

  void request(Connection& connection, std::int64_t stream) {
    ++counts_.requests;
    // Weights in parts of a thousand; the rest is answered plainly.
    static constexpr Fault kFaults[] = {
        {"plain 503", 20, &Self::error},
        {"204", 20, &Self::no_content},
        {"trailers", 20, &Self::trailers},
        {"three 1xx first", 20, &Self::hints},
        {"refused stream", 20, &Self::refuse},
        {"reset stream", 10, &Self::reset_stream},
        {"reset in the body", 10, &Self::reset_in_body},
        {"head too large", 5, &Self::large_head},
        {"trailers too large", 5, &Self::large_trailers},
        {"101 1xx", 5, &Self::endless_hints},
        {"GOAWAY", 5, &Self::goaway},
        {"closed before the answer", 3, &Self::close_before},
        {"closed in the body", 3, &Self::close_in_body},
        {"never", 3, &Self::never},
    };
    int draw = static_cast<int>(random_.below(1000));
    for (const Fault& fault : kFaults) {
      if (!silent_ && fault.act == &Self::never) break;
      draw -= fault.weight;
      if (draw >= 0) continue;
      ++counts_.drawn[fault.name];
      return (this->*fault.act)(connection, stream);
    }
    answer(connection, stream);
  }

  static std::vector<wire::Header> too_much() { return {100, {"x", std::string(3000, 'v')}}; }

  void answer(Connection& c, std::int64_t s) {
    ++counts_.whole["200"];
    c.answer(s, "200", {}, "body");
  }
  void error(Connection& c, std::int64_t s) {
    ++counts_.whole["503"];
    c.answer(s, "503");
  }
  void no_content(Connection& c, std::int64_t s) {
    ++counts_.whole["204"];
    c.answer(s, "204");
  }
  void trailers(Connection& c, std::int64_t s) {
    c.trailers(s, {{"t", "u"}});
    answer(c, s);
  }
  void hints(Connection& c, std::int64_t s) {
    c.hint(s, 3);
    answer(c, s);
  }
  void refuse(Connection& c, std::int64_t s) { c.reset(s, NGHTTP3_H3_REQUEST_REJECTED); }
  void reset_stream(Connection& c, std::int64_t s) { c.reset(s, NGHTTP3_H3_INTERNAL_ERROR); }
  void reset_in_body(Connection& c, std::int64_t s) {
    c.answer(s, "200", {}, "bo", /*ends=*/false);
    c.reset(s, NGHTTP3_H3_INTERNAL_ERROR);
  }
  void large_head(Connection& c, std::int64_t s) { c.answer(s, "200", too_much()); }
  void large_trailers(Connection& c, std::int64_t s) {
    c.trailers(s, too_much());
    c.answer(s, "200", {}, "body");
  }
  void endless_hints(Connection& c, std::int64_t s) {
    c.hint(s, 101);
    c.answer(s, "200");
  }
  void goaway(Connection& c, std::int64_t s) {
    answer(c, s);
    c.goaway();
  }
  void close_before(Connection& c, std::int64_t) { c.close_soon(); }
  void close_in_body(Connection& c, std::int64_t s) {
    c.answer(s, "200", {}, "bo", /*ends=*/false);
    c.close_soon();
  }
  void never(Connection&, std::int64_t) {}

  system::net::Loop* loop_;
  Random random_;
  bool silent_;
  const wire::CertificateFiles files_;
  system::net::Socket socket_;
  system::net::DatagramReader reader_;
  system::net::DatagramSender sender_;
  std::vector<char> output_;
  FaultCounts counts_;
  wire::ScriptedHttp3Server server_;
};

}  // namespace hone::traffic::load
