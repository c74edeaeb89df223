#include "subject/worker_spread.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/random.h"
#include "system/fake_clock.h"

namespace hone::subject {
namespace {

using system::Holder;
using traffic::load::PoolId;
using traffic::load::PoolState;

// A pool whose connections a server deals to its workers as `deal` says.
class DealtPool final : public traffic::load::LoadSession {
 public:
  DealtPool(int connections, std::function<int()> deal) : deal_(std::move(deal)) {
    state_.connections = connections;
    for (int i = 0; i < connections; ++i) state_.local_ports.push_back(dial());
  }
  Result<PoolState> spread(PoolId, const std::vector<int>& redial) override {
    for (const int connection : redial) {
      holders_.erase(state_.local_ports[static_cast<std::size_t>(connection)]);
      state_.local_ports[static_cast<std::size_t>(connection)] = dial();
    }
    return state_;
  }
  WorkerSpreader::Holders holders() {
    return [this]() -> Result<std::map<std::uint16_t, Holder>> {
      if (hidden_) return std::map<std::uint16_t, Holder>{};
      return holders_;
    };
  }
  std::map<std::uint16_t, Holder> holders_;
  bool hidden_ = false;  // until a request comes
  long asked_ = 0;

  Result<PoolId> connect(const traffic::load::PoolSpec&) override { return 1; }
  Result<traffic::load::SliceResult> slice(PoolId, const traffic::load::SliceSpec& spec) override {
    asked_ += std::lround(spec.rate * spec.duration_s);
    hidden_ = false;
    return traffic::load::SliceResult{};
  }
  void close(PoolId) override {}
  void cut() override {}

 private:
  std::uint16_t dial() {
    holders_[++port_] = {100, 7 + deal_()};
    return port_;
  }
  std::function<int()> deal_;
  PoolState state_;
  std::uint16_t port_ = 1000;
};

TEST(WorkerSpreadTest, HashedConnectionsAreDialledUntilTheyAreEven) {
  system::FakeClock clock;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    for (const int workers : {2, 3, 4, 8}) {
      Random random(seed);
      DealtPool pool(16 * workers, [&] {
        return static_cast<int>(random.below(static_cast<std::uint64_t>(workers)));
      });
      WorkerSpreader spreader(&pool, workers, pool.holders(), &clock);
      const auto spread = spreader.even_out(1);
      ASSERT_TRUE(spread);
      EXPECT_EQ(spread->connections, std::vector<int>(static_cast<std::size_t>(workers), 16))
          << "seed " << seed << ": " << to_string(*spread);
      EXPECT_EQ(off_fair(*spread), 0);
    }
  }
}

TEST(WorkerSpreadTest, AnUnevenNumberIsEvenWithinOne) {
  system::FakeClock clock;
  int next = 0;
  DealtPool pool(5, [&] { return next++ % 3; });
  WorkerSpreader spreader(&pool, 3, pool.holders(), &clock);
  const auto spread = spreader.even_out(1);
  ASSERT_TRUE(spread);
  EXPECT_EQ(spread->connections, (std::vector<int>{2, 2, 1}));
  EXPECT_TRUE(is_even(*spread));
  EXPECT_EQ(spread->redialled, 0);
  EXPECT_EQ(to_string(*spread), "2 + 2 + 1");
}

TEST(WorkerSpreadTest, AServerThatGivesAllToOneWorkerIsGivenUpAfterABoundedNumberOfTries) {
  system::FakeClock clock;
  DealtPool pool(4, [] { return 0; });
  WorkerSpreader spreader(&pool, 2, pool.holders(), &clock);
  const auto spread = spreader.even_out(1);
  ASSERT_TRUE(spread);
  EXPECT_FALSE(is_even(*spread));
  EXPECT_EQ(spread->connections, (std::vector<int>{4, 0}));
  EXPECT_EQ(spread->redialled, 80);  // two of them, 20 times for each worker
  EXPECT_EQ(off_fair(*spread), 1);
}

TEST(WorkerSpreadTest, AServerThatAcceptsWithTheFirstRequestIsAskedOnce) {
  system::FakeClock clock;
  int next = 0;
  DealtPool pool(6, [&] { return next++ % 2; });
  pool.hidden_ = true;
  WorkerSpreader spreader(&pool, 2, pool.holders(), &clock);
  const auto spread = spreader.even_out(1);
  ASSERT_TRUE(spread);
  EXPECT_EQ(spread->connections, (std::vector<int>{3, 3}));
  EXPECT_EQ(pool.asked_, 6);  // one on each
}

TEST(WorkerSpreadTest, WhatCannotBeToldIsSaid) {
  system::FakeClock clock;
  DealtPool pool(4, [] { return 0; });
  const auto before = clock.now();
  pool.holders_.erase(pool.holders_.begin());
  WorkerSpreader spreader(&pool, 2, pool.holders(), &clock);
  const auto missing = spreader.even_out(1);
  ASSERT_TRUE(missing);
  EXPECT_FALSE(missing->known());
  EXPECT_EQ(missing->unknown, "1 of 4 connections are held by no process of the server");
  EXPECT_GE(clock.now() - before, std::chrono::seconds(1));  // it was given time to accept

  int next = 0;
  DealtPool many(4, [&] { return next++; });
  WorkerSpreader confused(&many, 2, many.holders(), &clock);
  const auto spread = confused.read(1);
  ASSERT_TRUE(spread);
  EXPECT_EQ(to_string(*spread),
            "cannot tell: 4 parts of the server hold connections, and it has 2 workers");
  EXPECT_FALSE(is_even(*spread));
}

}  // namespace
}  // namespace hone::subject
