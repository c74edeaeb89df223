// For tests: HTTP/1 answers, whole and otherwise.
#pragma once

#include <iterator>

#include "traffic/load/fault_server.h"

namespace hone::traffic::load {

class Http1FaultPeer final : public FaultPeer {
 public:
  Http1FaultPeer(system::net::Loop* loop, Random* random, FaultCounts* counts, bool silent)
      : FaultPeer(loop, random, counts), silent_(silent) {}

 private:
  using Self = Http1FaultPeer;
  struct Fault {
    const char* name;
    int weight;
    void (Self::*act)();
  };

  void take(std::string_view bytes) override {
    input_.append(bytes);
    while (!busy_) {
      const auto head = input_.find("\r\n\r\n");
      if (head == std::string::npos) return;
      std::size_t body = 0;
      if (const auto at = input_.find("content-length: "); at < head) {
        body = std::stoul(input_.substr(at + 16));
      }
      if (input_.size() < head + 4 + body) return;
      to_head_ = input_[0] == 'H';
      input_.erase(0, head + 4 + body);
      ++counts().requests;
      act();
    }
  }

  void act() {
    // Weights in parts of a thousand; the rest is answered plainly.
    static constexpr Fault kFaults[] = {
        {"plain 503", 20, &Self::error},
        {"204", 20, &Self::no_content},
        {"304 with a length", 20, &Self::not_modified},
        {"chunks, extensions, trailers", 40, &Self::chunks},
        {"three 1xx first", 20, &Self::hints},
        {"equal lengths twice", 10, &Self::equal_lengths},
        {"slow head", 5, &Self::slow_head},
        {"body until close", 15, &Self::until_close},
        {"close announced", 15, &Self::announce_close},
        {"closed while idle", 15, &Self::close_idle},
        {"closed before the answer", 10, &Self::close_at_once},
        {"closed in the head", 10, &Self::close_in_head},
        {"closed in the body", 10, &Self::close_in_body},
        {"closed in the chunks", 10, &Self::close_in_chunks},
        {"reset", 5, &Self::reset_soon},
        {"reset in the body", 5, &Self::reset_in_body},
        {"garbage", 10, &Self::garbage},
        {"conflicting lengths", 10, &Self::conflicting_lengths},
        {"answer to no request", 10, &Self::answer_twice},
        {"endless head", 5, &Self::endless_head},
        {"endless 1xx", 5, &Self::endless_hints},
        {"never", 2, &Self::never},
        {"reads no more", 1, &Self::deaf},
    };
    int draw = static_cast<int>(random().below(1000));
    for (const Fault& fault : kFaults) {
      if (!silent_ && fault.act == &Self::never) break;  // it and what follows
      draw -= fault.weight;
      if (draw >= 0) continue;
      ++counts().drawn[fault.name];
      return (this->*fault.act)();
    }
    answer();
  }

  void whole(const char* status, std::string_view bytes) {
    say(bytes);
    ++counts().whole[status];
  }
  std::string with_body(std::string head, std::string_view body) const {
    return to_head_ ? head : head.append(body);
  }
  std::string ok(const std::string& fields = {}) const {
    return with_body("HTTP/1.1 200 OK\r\n" + fields + "content-length: 4\r\n\r\n", "body");
  }

  void answer() { whole("200", ok()); }
  void error() { whole("503", "HTTP/1.1 503 No\r\ncontent-length: 0\r\n\r\n"); }
  void no_content() { whole("204", "HTTP/1.1 204 No Content\r\n\r\n"); }
  void not_modified() { whole("304", "HTTP/1.1 304 No\r\nContent-Length: 99\r\n\r\n"); }
  void chunks() {
    whole("200", with_body("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
                           "4;a=\"b\"\r\nbody\r\n1;c\r\n.\r\n0\r\nx: y\r\n\r\n"));
  }
  void hints() {
    whole("200",
          "HTTP/1.1 103 E\r\nlink: x\r\n\r\nHTTP/1.1 100 C\r\n\r\nHTTP/1.1 199\r\n\r\n" + ok());
  }
  void equal_lengths() { whole("200", ok("Content-Length: 4, 4\r\n")); }
  void until_close() {
    whole("200", with_body("HTTP/1.1 200 OK\r\n\r\n", "as long as it lasts"));
    end();
  }
  void announce_close() {
    whole("200", ok("connection: close\r\n"));
    end();
  }
  void close_idle() {
    answer();
    end();
  }
  void close_at_once() { end(); }
  void close_in_head() {
    say("HTTP/1.1 200 OK\r\ncontent-le");
    end();
  }
  // To a HEAD request the answer is whole with its head.
  void close_in_body() {
    if (to_head_) return close_idle();
    say("HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nbo");
    end();
  }
  void close_in_chunks() {
    if (to_head_) return close_idle();
    say("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n4\r\nbody\r\n0\r\n");
    end();
  }
  void reset_soon() { reset_later(); }
  void reset_in_body() {
    if (!to_head_) say("HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nbo");
    reset_later();
  }
  void garbage() { break_with("SSH-2.0-OpenSSH\r\n\r\n"); }
  void conflicting_lengths() {
    break_with("HTTP/1.1 200 OK\r\ncontent-length: 4\r\ncontent-length: 5\r\n\r\n");
  }
  void answer_twice() {
    busy_ = true;
    whole("200", ok() + "HTTP/1.1 408 Late\r\n\r\n");
  }
  void break_with(std::string_view bytes) {
    busy_ = true;  // the client closes
    say(bytes);
  }
  void slow_head() {
    busy_ = true;
    dribble(ok());
  }
  void dribble(const std::string& rest) {
    if (rest.empty()) {
      busy_ = false;
      ++counts().whole["200"];
      return take({});
    }
    say(rest.substr(0, 1));
    after(std::chrono::milliseconds(1), [this, rest] { dribble(rest.substr(1)); });
  }
  void endless_head() {
    say("HTTP/1.1 200 OK\r\n");
    for_ever("x-filler: " + std::string(1000, 'x') + "\r\n");
  }
  void endless_hints() { for_ever("HTTP/1.1 103 Early Hints\r\n\r\n"); }
  void for_ever(const std::string& piece) {
    busy_ = true;
    if (said_all()) {
      std::string many;
      for (int i = 0; i < 20; ++i) many += piece;
      say(many);
    }
    after(std::chrono::milliseconds(1), [this, piece] { for_ever(piece); });
  }
  void never() { busy_ = true; }
  void deaf() {
    busy_ = true;
    read_no_more();
  }

  const bool silent_;
  std::string input_;
  bool busy_ = false;
  bool to_head_ = false;
};

}  // namespace hone::traffic::load
