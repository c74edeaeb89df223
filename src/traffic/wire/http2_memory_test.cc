#include "traffic/wire/http2_memory.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <thread>
#include <vector>

#include "base/random.h"

namespace hone::traffic::wire {
namespace {

struct Held {
  unsigned char* bytes;
  std::size_t size;
  unsigned char mark;

  bool holds(std::size_t first, unsigned char value) const {
    return std::all_of(bytes, bytes + first, [value](unsigned char byte) { return byte == value; });
  }
  void fill() const { std::fill(bytes, bytes + size, mark); }
};

// As the library does: taken, made larger and smaller, given back, in any order.
TEST(Http2Memory, EveryBlockKeepsWhatIsInIt) {
  const nghttp2_mem memory = http2_memory();
  Random random(1);
  const auto draw_size = [&] { return random.below(random.below(10) == 0 ? 20'000 : 600); };
  std::vector<Held> all;
  for (int i = 0; i < 20'000; ++i) {
    const std::size_t size = draw_size();
    const auto mark = static_cast<unsigned char>(1 + random.below(255));
    const auto fate = random.below(5);
    if (fate < 2) {
      auto* bytes = static_cast<unsigned char*>(fate == 0 ? memory.malloc(size, nullptr)
                                                          : memory.calloc(1, size, nullptr));
      all.push_back({bytes, size, mark});
      if (fate == 1) {
        ASSERT_TRUE(all.back().holds(size, 0));
      }
    } else if (all.empty()) {
      continue;
    } else {
      std::swap(all[random.below(all.size())], all.back());
      Held& held = all.back();
      ASSERT_TRUE(held.holds(held.size, held.mark));
      if (fate == 2) {
        memory.free(held.bytes, nullptr);
        all.pop_back();
        continue;
      }
      held.bytes = static_cast<unsigned char*>(memory.realloc(held.bytes, size, nullptr));
      ASSERT_TRUE(held.holds(std::min(size, held.size), held.mark));
      held.size = size;
      held.mark = mark;
    }
    all.back().fill();
  }
  for (const Held& held : all) {
    EXPECT_TRUE(held.holds(held.size, held.mark));
    memory.free(held.bytes, nullptr);
  }
}

TEST(Http2Memory, ABlockMayComeFromAThreadThatHasEnded) {
  const nghttp2_mem memory = http2_memory();
  void* taken = nullptr;
  std::thread([&] {
    memory.free(memory.malloc(100, nullptr), nullptr);  // kept until the thread ends
    taken = memory.malloc(200, nullptr);
  }).join();
  memory.free(taken, nullptr);
}

}  // namespace
}  // namespace hone::traffic::wire
