// What one HTTP/2 peer may send without getting anywhere. Every frame is small and allowed, so the
// library takes them for ever: PING, SETTINGS, PRIORITY, empty DATA, resets and HEADERS of streams
// that are gone, CONTINUATION (the library's own bound on these is a security patch that
// not every installed one has). What they cost is this side's CPU, and a request would wait behind
// them. Not seen here are DATA of streams that are gone and frames of unknown types: the library
// drops them like the bytes of a body.
#pragma once

#include <nghttp2/nghttp2.h>

#include <cstddef>

namespace hone::traffic::wire {

class Http2FrameBudget {
 public:
  // Of each frame that begins: nullptr, or what there was too much of.
  const char* take(const nghttp2_frame_hd& head) {
    in_header_block_ = head.type == NGHTTP2_CONTINUATION;
    if (head.type == NGHTTP2_CONTINUATION) {
      ++continuations_;
      return continuations_ > kMaxContinuations ? "more than 64 CONTINUATION frames in a row"
                                                : nullptr;
    }
    if (head.type == NGHTTP2_HEADERS) {
      continuations_ = 0;
      header_bytes_ = 0;
    }
    return ++idle_ > kMaxIdle ? "more than 10,000 frames without a message" : nullptr;
  }
  // A message gets on: fields or a body came for a stream that is there, or a body is on its way to
  // the peer, which has windows to update. Those for streams that are gone get nowhere.
  void message_moved() { idle_ = 0; }

  // Of each field of the header block that is being read: false once it is above `limit`. HPACK
  // makes kilobytes out of one byte, so what counts is what comes out.
  bool take_field(std::size_t name_bytes, std::size_t value_bytes, std::size_t limit) {
    header_bytes_ += name_bytes + value_bytes;
    return header_bytes_ <= limit;
  }
  // The last frame that began was a CONTINUATION: what fails now fails for the header block.
  bool in_header_block() const { return in_header_block_; }

 private:
  // 1 MiB of header block in frames of 16 KiB, four times what a header list may have here.
  static constexpr int kMaxContinuations = 64;
  // An idle connection that is kept up by a PING every 10 s stays for a day; a flood of this size
  // is over within milliseconds.
  static constexpr int kMaxIdle = 10'000;

  std::size_t header_bytes_ = 0;
  int continuations_ = 0;
  int idle_ = 0;
  bool in_header_block_ = false;
};

}  // namespace hone::traffic::wire
