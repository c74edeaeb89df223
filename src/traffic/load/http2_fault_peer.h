// For tests: HTTP/2 answers, whole and otherwise, frame by frame. It decodes no header block, so it
// answers every method alike.
#pragma once

#include <set>

#include "traffic/load/fault_server.h"

namespace hone::traffic::load {

class Http2FaultPeer final : public FaultPeer {
 public:
  Http2FaultPeer(system::net::Loop* loop, Random* random, FaultCounts* counts, bool silent)
      : FaultPeer(loop, random, counts), silent_(silent) {}

 private:
  using Self = Http2FaultPeer;
  struct Fault {
    const char* name;
    int weight;
    void (Self::*act)(std::uint32_t stream);
  };
  enum Type : std::uint8_t {
    kData,
    kHeaders,
    kPriority,
    kReset,
    kSettings,
    kPush,
    kPing,
    kGoaway,
    kWindowUpdate,
    kContinuation
  };
  enum Flag : std::uint8_t { kNone = 0, kEndStream = 1, kAck = 1, kEndHeaders = 4 };

  static std::string number(std::uint32_t value, int bytes) {
    std::string text;
    for (int i = bytes - 1; i >= 0; --i) text += static_cast<char>(value >> (8 * i));
    return text;
  }
  static std::string frame(Type type, int flags, std::uint32_t stream, std::string_view payload) {
    std::string bytes = number(static_cast<std::uint32_t>(payload.size()), 3);
    bytes += static_cast<char>(type);
    bytes += static_cast<char>(flags);
    return (bytes + number(stream, 4)).append(payload);
  }
  static std::string setting(std::uint32_t id, std::uint32_t value) {
    return number(id, 2) + number(value, 4);
  }

  void greet() override { say(frame(kSettings, kNone, 0, setting(kMaxStreams, 100))); }

  void take(std::string_view bytes) override {
    constexpr std::size_t kPreface = 24, kHead = 9;
    input_.append(bytes);
    if (!greeted_ && input_.size() < kPreface) return;
    if (!greeted_) input_.erase(0, kPreface);
    greeted_ = true;
    while (!broken_ && input_.size() >= kHead) {
      const auto byte = [&](std::size_t at) { return static_cast<std::uint8_t>(input_[at]); };
      const std::size_t size = (byte(0) << 16) | (byte(1) << 8) | byte(2);
      if (input_.size() < kHead + size) return;
      const std::uint8_t type = byte(3), flags = byte(4);
      const std::uint32_t stream =
          (static_cast<std::uint32_t>(byte(5)) << 24) | (byte(6) << 16) | (byte(7) << 8) | byte(8);
      input_.erase(0, kHead + size);
      if (type == kSettings && (flags & kAck) == 0) say(frame(kSettings, kAck, 0, {}));
      if (type == kData && size > 0) {
        const std::string more = number(static_cast<std::uint32_t>(size), 4);
        say(frame(kWindowUpdate, kNone, 0, more));
        if ((flags & kEndStream) == 0) say(frame(kWindowUpdate, kNone, stream, more));
      }
      if ((type == kData || type == kHeaders) && (flags & kEndStream) != 0) request(stream);
    }
  }

  void request(std::uint32_t stream) {
    ++counts().requests;
    if (stream > last_) return;  // above our GOAWAY
    // Weights in parts of a thousand; the rest is answered plainly.
    static constexpr Fault kFaults[] = {
        {"plain 503", 20, &Self::error},
        {"204", 20, &Self::no_content},
        {"trailers", 20, &Self::trailers},
        {"three 1xx first", 20, &Self::hints},
        {"refused stream", 20, &Self::refuse},
        {"reset stream", 10, &Self::reset_stream},
        {"reset in the body", 10, &Self::reset_in_body},
        {"content-length too large", 10, &Self::short_body},
        {"header list too large", 5, &Self::large_list},
        {"101 1xx", 5, &Self::endless_hints},
        {"GOAWAY that leaves this one out", 5, &Self::goaway_before},
        {"GOAWAY after this one", 5, &Self::goaway_after},
        {"fewer streams", 5, &Self::fewer_streams},
        {"smaller window", 5, &Self::smaller_window},
        {"closed while idle or not", 3, &Self::close_after},
        {"closed before the answer", 3, &Self::close_before},
        {"closed in the body", 3, &Self::close_in_body},
        {"connection reset", 2, &Self::reset_connection},
        {"garbage", 2, &Self::garbage},
        {"frame on stream 0", 2, &Self::data_on_stream_0},
        {"endless CONTINUATION", 2, &Self::endless_continuation},
        {"PING flood", 2, &Self::ping_flood},
        {"SETTINGS flood", 2, &Self::settings_flood},
        {"never", 2, &Self::never},
        {"reads no more", 1, &Self::deaf},
    };
    int draw = static_cast<int>(random().below(1000));
    for (const Fault& fault : kFaults) {
      if (!silent_ && fault.act == &Self::never) break;  // it and what follows
      draw -= fault.weight;
      if (draw >= 0) continue;
      ++counts().drawn[fault.name];
      return (this->*fault.act)(stream);
    }
    answer(stream);
  }

  // Header blocks of RFC 7541's static table: one byte a field.
  static constexpr std::string_view k200 = "\x88", k204 = "\x89",
                                    k503 =
                                        "\x08\x03"
                                        "503";
  static constexpr std::string_view k103 =
      "\x08\x03"
      "103";
  static constexpr std::uint32_t kMaxStreams = 3, kInitialWindow = 4;
  static constexpr std::uint32_t kRefused = 7, kInternal = 2;

  std::string headers(std::uint32_t stream, std::string_view block, int flags = 0) {
    return frame(kHeaders, kEndHeaders | flags, stream, block);
  }
  void whole(const char* status, std::string_view bytes) {
    say(bytes);
    ++counts().whole[status];
  }

  void answer(std::uint32_t s) {
    whole("200", headers(s, k200) + frame(kData, kEndStream, s, "body"));
  }
  void error(std::uint32_t s) { whole("503", headers(s, k503, kEndStream)); }
  void no_content(std::uint32_t s) { whole("204", headers(s, k204, kEndStream)); }
  void trailers(std::uint32_t s) {
    const std::string block("\0\1t\1u", 5);
    whole("200", headers(s, k200) + frame(kData, kNone, s, "body") + headers(s, block, kEndStream));
  }
  void hints(std::uint32_t s) {
    say(headers(s, k103) + headers(s, k103) + headers(s, k103));
    answer(s);
  }
  void refuse(std::uint32_t s) { say(frame(kReset, kNone, s, number(kRefused, 4))); }
  void reset_stream(std::uint32_t s) { say(frame(kReset, kNone, s, number(kInternal, 4))); }
  void reset_in_body(std::uint32_t s) {
    say(headers(s, k200) + frame(kData, kNone, s, "bo"));
    reset_stream(s);
  }
  void short_body(std::uint32_t s) {
    say(headers(s, std::string(k200) + "\x0f\x0d\x01"
                                       "9") +
        frame(kData, kEndStream, s, "body"));
  }
  void large_list(std::uint32_t s) {  // 3,000 bytes kept in the table, a hundred times
    std::string block = std::string(k200) + "\x40\1y\x7f";
    block += static_cast<char>(((3000 - 127) & 127) | 128);
    block += static_cast<char>((3000 - 127) >> 7);
    say(headers(s, block + std::string(3000, 'w') + std::string(100, '\xbe'), kEndStream));
  }
  void endless_hints(std::uint32_t s) {
    std::string all;
    for (int i = 0; i < 101; ++i) all += headers(s, k103);
    say(all);
  }
  // What came before is answered already: each request is, when it comes.
  void goaway_before(std::uint32_t s) {
    last_ = s == 1 ? 0 : s - 2;
    say(frame(kGoaway, kNone, 0, number(last_, 4) + number(0, 4)));
  }
  void goaway_after(std::uint32_t s) {
    last_ = s;
    say(frame(kGoaway, kNone, 0, number(last_, 4) + number(0, 4)));
    answer(s);
  }
  void fewer_streams(std::uint32_t s) {
    say(frame(kSettings, kNone, 0, setting(kMaxStreams, 1 + random().below(3) % 3)));
    answer(s);
  }
  void smaller_window(std::uint32_t s) {
    say(frame(kSettings, kNone, 0,
              setting(kInitialWindow, random().below(2) == 0 ? 70'000 : 9000)));
    answer(s);
  }
  void close_after(std::uint32_t s) {
    answer(s);
    stop();
    end();
  }
  void close_before(std::uint32_t) {
    stop();
    end();
  }
  void close_in_body(std::uint32_t s) {
    say(headers(s, k200) + frame(kData, kNone, s, "bo"));
    stop();
    end();
  }
  void reset_connection(std::uint32_t) {
    stop();
    reset_later();
  }
  void garbage(std::uint32_t) { break_with("HTTP/1.1 400 Bad Request\r\n\r\n"); }
  void data_on_stream_0(std::uint32_t) { break_with(frame(kData, kNone, 0, "x")); }
  void endless_continuation(std::uint32_t s) {
    say(frame(kHeaders, kNone, s, k200));
    for_ever(frame(kContinuation, kNone, s, {}));
  }
  void ping_flood(std::uint32_t) { for_ever(frame(kPing, kNone, 0, "12345678")); }
  void settings_flood(std::uint32_t) { for_ever(frame(kSettings, kNone, 0, {})); }
  void never(std::uint32_t) {}
  void deaf(std::uint32_t) {
    stop();
    read_no_more();
  }
  void break_with(std::string_view bytes) {
    stop();
    say(bytes);
  }
  void for_ever(const std::string& piece) {
    stop();
    if (said_all()) {
      std::string many;
      for (int i = 0; i < 1000; ++i) many += piece;
      say(many);
    }
    after(std::chrono::milliseconds(1), [this, piece] { for_ever(piece); });
  }
  void stop() { broken_ = true; }

  const bool silent_;
  std::string input_;
  bool greeted_ = false;
  bool broken_ = false;  // takes nothing more; the client closes, or it does
  std::uint32_t last_ = 0x7fffffff;
};

}  // namespace hone::traffic::load
