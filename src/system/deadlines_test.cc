#include "system/deadlines.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/random.h"

namespace hone::system {
namespace {

Instant at(std::uint64_t ms) { return Instant() + std::chrono::milliseconds(ms); }

TEST(DeadlinesTest, NobodyHasOneAtFirst) {
  Deadlines deadlines;
  EXPECT_EQ(Instant::max(), deadlines.earliest());
  EXPECT_EQ(Deadlines::kNobody, deadlines.first());
  deadlines.set(3, Instant::max());
  EXPECT_EQ(Deadlines::kNobody, deadlines.first());
}

TEST(DeadlinesTest, AgreesWithASearchThroughAllOfThem) {
  constexpr std::size_t kMany = 100;
  Random random(7);
  Deadlines deadlines;
  std::vector<Instant> expected(kMany, Instant::max());
  for (int step = 0; step < 20'000; ++step) {
    const auto id = static_cast<std::size_t>(random.below(kMany));
    const Instant when = random.below(4) == 0 ? Instant::max() : at(random.below(1000));
    expected[id] = when;
    deadlines.set(id, when);
    const Instant earliest = *std::min_element(expected.begin(), expected.end());
    ASSERT_EQ(earliest, deadlines.earliest());
    if (earliest == Instant::max()) {
      ASSERT_EQ(Deadlines::kNobody, deadlines.first());
    } else {
      ASSERT_EQ(earliest, expected[deadlines.first()]);
    }
  }
}

}  // namespace
}  // namespace hone::system
