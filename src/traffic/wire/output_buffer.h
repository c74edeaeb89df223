// Bytes on their way to the peer: appended behind, taken in front, always one contiguous view. The
// memory is kept, so a connection that has sent its largest answer once allocates no more.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace hone::traffic::wire {

class OutputBuffer {
 public:
  std::string_view view() const { return std::string_view(bytes_).substr(head_); }
  std::size_t size() const { return bytes_.size() - head_; }
  bool empty() const { return head_ == bytes_.size(); }

  void append(std::string_view bytes) { tail().append(bytes); }

  // For encoders that append by themselves. What was consumed is cut off once it is half of the
  // buffer: every byte moved is then paid for by a byte that has left.
  std::string& tail() {
    if (head_ != 0 && head_ * 2 >= bytes_.size()) {
      bytes_.erase(0, head_);
      head_ = 0;
    }
    return bytes_;
  }

  void consume(std::size_t bytes) {
    head_ += bytes;
    if (head_ == bytes_.size()) clear();
  }

  void clear() {
    bytes_.clear();
    head_ = 0;
  }

 private:
  std::string bytes_;
  std::size_t head_ = 0;
};

}  // namespace hone::traffic::wire
