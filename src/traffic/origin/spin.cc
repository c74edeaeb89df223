#include "traffic/origin/spin.h"

namespace hone::traffic::origin {

void spin(std::uint64_t turns) {
  std::uint64_t x = 88172645463325252ULL;  // Marsaglia's xorshift: never 0
  for (std::uint64_t i = 0; i < turns; ++i) {
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
  }
  // Seen from outside, so that the loop is not left out.
  [[maybe_unused]] volatile std::uint64_t sink = x;
}

}  // namespace hone::traffic::origin
