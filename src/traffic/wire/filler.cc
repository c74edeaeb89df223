#include "traffic/wire/filler.h"

#include <algorithm>
#include <array>

namespace hone::traffic::wire {
namespace {

constexpr std::size_t kLetters = 26;
// 256 KiB of view from any phase: more than a socket takes at once by default (tcp_wmem: 16 KiB
// growing to 4 MiB, in practice a few hundred KiB), small enough for the second-level cache.
constexpr std::size_t kView = 256 << 10;

auto make_block() noexcept {
  std::array<char, kView + kLetters> block{};
  for (std::size_t i = 0; i < block.size(); ++i) {
    block[i] = static_cast<char>('a' + i % kLetters);
  }
  return block;
}

// Nothing here is constexpr: that would make the compiler evaluate a quarter of a million steps in
// every build.
const std::array<char, kView + kLetters> kBlock = make_block();

}  // namespace

std::string_view filler(std::uint64_t offset, std::uint64_t length) {
  return {kBlock.data() + offset % kLetters,
          static_cast<std::size_t>(std::min<std::uint64_t>(length, kView))};
}

}  // namespace hone::traffic::wire
