#include "system/net/loop.h"

#include <gtest/gtest.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include <atomic>
#include <functional>
#include <thread>

#include "system/net/socket.h"

namespace hone::system::net {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

// Long enough for a loaded machine, short enough to end a broken test.
constexpr auto kLimit = std::chrono::seconds(5);

struct Pair {
  Socket near, far;
};

Pair make_pair() {
  int fds[2];
  EXPECT_EQ(0, ::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, fds));
  return {Socket(fds[0]), Socket(fds[1])};
}

struct OnReady : Pollable {
  std::function<void(std::uint32_t)> action;
  int calls = 0;
  void ready(std::uint32_t events) override {
    ++calls;
    if (action) action(events);
  }
};

struct OnAdvance : Pacer {
  std::function<Instant(Instant)> action;
  Instant advance(Instant now) override { return action(now); }
};

class LoopTest : public testing::Test {
 protected:
  void SetUp() override { loop_ = *Loop::create(); }
  void run() { loop_->run(Loop::read_clock() + kLimit); }
  std::unique_ptr<Loop> loop_;
};

TEST_F(LoopTest, DeliversReadinessAndKeepsDeliveringWhatIsLeftUnread) {
  Pair pair = make_pair();
  write_some(pair.far.fd(), "ab");
  OnReady owner;
  std::string seen;
  owner.action = [&](std::uint32_t events) {
    EXPECT_TRUE(events & EPOLLIN);
    char c = 0;
    if (read_some(pair.near.fd(), &c, 1).state == IoState::kMoved) seen += c;
    if (seen.size() == 2) loop_->stop();
  };
  ASSERT_TRUE(loop_->add(pair.near.fd(), EPOLLIN, &owner));
  run();
  EXPECT_EQ("ab", seen);
}

TEST_F(LoopTest, ADescriptorRemovedByAnotherOwnerInTheSameBatchIsNotCalled) {
  Pair first = make_pair();
  Pair second = make_pair();
  write_some(first.far.fd(), "x");
  write_some(second.far.fd(), "x");
  OnReady a, b;
  a.action = [&](std::uint32_t) { loop_->remove(second.near.fd()), loop_->stop(); };
  b.action = [&](std::uint32_t) { loop_->remove(first.near.fd()), loop_->stop(); };
  ASSERT_TRUE(loop_->add(first.near.fd(), EPOLLIN, &a));
  ASSERT_TRUE(loop_->add(second.near.fd(), EPOLLIN, &b));
  run();
  EXPECT_EQ(1, a.calls + b.calls);
}

TEST_F(LoopTest, AReusedDescriptorNumberDoesNotInheritAStaleEvent) {
  Pair first = make_pair();
  Pair second = make_pair();
  Pair fresh;
  write_some(first.far.fd(), "x");
  write_some(second.far.fd(), "x");
  OnReady newcomer;  // its descriptor has nothing to read
  OnReady a, b;
  const auto replace = [&](Pair& other) {
    return [&](std::uint32_t) {
      const int number = other.near.fd();
      loop_->remove(number);
      other.near.close();
      fresh = make_pair();  // the lowest free number comes first
      EXPECT_EQ(number, fresh.near.fd());
      EXPECT_TRUE(loop_->add(fresh.near.fd(), EPOLLIN, &newcomer));
      loop_->stop();
    };
  };
  a.action = replace(second);
  b.action = replace(first);
  ASSERT_TRUE(loop_->add(first.near.fd(), EPOLLIN, &a));
  ASSERT_TRUE(loop_->add(second.near.fd(), EPOLLIN, &b));
  run();
  EXPECT_EQ(1, a.calls + b.calls);
  EXPECT_EQ(0, newcomer.calls);
}

TEST_F(LoopTest, SleepsToThePacersDueTime) {
  OnAdvance pacer;
  std::vector<Instant> calls;
  const Instant start = Loop::read_clock();
  const Instant due = start + milliseconds(20);
  pacer.action = [&](Instant now) {
    calls.push_back(now);
    if (now >= due) loop_->stop();
    return now >= due ? Instant::max() : due;
  };
  loop_->add_pacer(&pacer);
  run();
  // Once on joining and once when due: it did not poll its way there.
  ASSERT_EQ(2U, calls.size());
  EXPECT_GE(calls[1], due);
  EXPECT_LT(calls[1], due + milliseconds(15));
  EXPECT_LE(loop_->turn(), 3U);
}

TEST_F(LoopTest, WhatAPacersOwnWorkTakesIsNotAddedToTheSleep) {
  OnAdvance pacer;
  std::vector<Instant> calls;
  Instant due;
  pacer.action = [&](Instant now) {
    calls.push_back(now);
    if (calls.size() == 2) loop_->stop();
    if (calls.size() > 1) return Instant::max();
    due = now + milliseconds(50);
    while (Loop::read_clock() < now + milliseconds(45)) continue;
    return due;
  };
  loop_->add_pacer(&pacer);
  run();
  ASSERT_EQ(2U, calls.size());
  EXPECT_GE(calls[1], due);
  EXPECT_LT(calls[1], due + milliseconds(30));
}

TEST_F(LoopTest, AnEventIsDatedAfterThePacersThatCameBeforeIt) {
  Pair pair = make_pair();
  write_some(pair.far.fd(), "x");
  OnAdvance pacer;
  Instant advanced;
  pacer.action = [&](Instant) {
    advanced = Loop::read_clock();
    return Instant::min();  // due again before each event of a batch
  };
  OnReady owner;
  owner.action = [&](std::uint32_t) {
    EXPECT_GE(loop_->now(), advanced);
    loop_->stop();
  };
  loop_->add_pacer(&pacer);
  ASSERT_TRUE(loop_->add(pair.near.fd(), EPOLLIN, &owner));
  run();
  EXPECT_EQ(1, owner.calls);
}

TEST_F(LoopTest, ADuePacerIsCalledBetweenTheEventsOfOneBatch) {
  constexpr int kEvents = 4;
  std::vector<Pair> pairs;
  std::vector<OnReady> owners(kEvents);
  std::vector<std::string> order;
  Instant due = Instant::max();
  for (int i = 0; i < kEvents; ++i) {
    pairs.push_back(make_pair());
    write_some(pairs.back().far.fd(), "x");
    owners[static_cast<std::size_t>(i)].action = [&, i](std::uint32_t) {
      char c = 0;
      read_some(pairs[static_cast<std::size_t>(i)].near.fd(), &c, 1);
      order.emplace_back("event");
      // Each event's work takes longer than the pacer may wait.
      while (Loop::read_clock() < due) continue;
    };
  }
  OnAdvance pacer;
  pacer.action = [&](Instant now) {
    if (order.empty()) {  // before the batch
      due = now + milliseconds(5);
      return due;
    }
    order.emplace_back("pacer");
    if (order.size() > 2 * kEvents) loop_->stop();
    return Instant::min();  // always due
  };
  loop_->add_pacer(&pacer);
  for (int i = 0; i < kEvents; ++i) {
    ASSERT_TRUE(loop_->add(pairs[static_cast<std::size_t>(i)].near.fd(), EPOLLIN,
                           &owners[static_cast<std::size_t>(i)]));
  }
  run();
  ASSERT_GE(order.size(), 7U);
  for (std::size_t i = 0; i < 6; i += 2) {
    EXPECT_EQ("event", order[i]);
    EXPECT_EQ("pacer", order[i + 1]);
  }
}

TEST_F(LoopTest, APacerMayRemoveItselfAndAddAnother) {
  OnAdvance first, second;
  int first_calls = 0;
  first.action = [&](Instant) {
    ++first_calls;
    loop_->remove_pacer(&first);
    loop_->add_pacer(&second);
    return Instant::min();
  };
  second.action = [&](Instant) {
    loop_->stop();
    return Instant::max();
  };
  loop_->add_pacer(&first);
  run();
  EXPECT_EQ(1, first_calls);
}

TEST_F(LoopTest, SpinningNeverSleeps) {
  OnAdvance pacer;
  pacer.action = [](Instant) { return Instant::max(); };
  loop_->add_pacer(&pacer);
  const auto before = LoopThread::usage_of_this_thread();
  loop_->run(Loop::read_clock() + milliseconds(10), /*spin=*/true);
  const auto after = LoopThread::usage_of_this_thread();
  EXPECT_EQ(before.wakes, after.wakes);
  EXPECT_GT(loop_->turn(), 10U);
}

TEST_F(LoopTest, RunEndsAtItsLimitAndStopBeforeRunCounts) {
  const Instant start = Loop::read_clock();
  loop_->run(start + milliseconds(5));
  EXPECT_GE(Loop::read_clock(), start + milliseconds(5));
  loop_->stop();
  run();
  EXPECT_LT(Loop::read_clock(), start + kLimit);
}

TEST_F(LoopTest, AClosedDescriptorIsAnErrorNotACrash) {
  OnReady owner;
  const Status status = loop_->add(-1, EPOLLIN, &owner);
  ASSERT_FALSE(status);
  EXPECT_EQ(ErrorKind::kInternal, status.error().kind);
}

TEST(LoopThreadTest, CallRunsOnTheThreadAndInlineWhenAlreadyThere) {
  auto thread = *LoopThread::start({});
  std::thread::id outer, inner;
  thread->call([&] {
    outer = std::this_thread::get_id();
    thread->call([&] { inner = std::this_thread::get_id(); });
  });
  EXPECT_NE(std::this_thread::get_id(), outer);
  EXPECT_EQ(outer, inner);
}

TEST(LoopThreadTest, ManyThreadsMayPost) {
  auto thread = *LoopThread::start({});
  std::atomic<int> done{0};
  std::vector<std::thread> posters;
  for (int i = 0; i < 4; ++i) {
    posters.emplace_back([&] {
      for (int k = 0; k < 250; ++k) thread->loop().post([&] { ++done; });
    });
  }
  for (auto& poster : posters) poster.join();
  thread->call([] {});  // posted last, so run last
  EXPECT_EQ(1000, done);
}

TEST(LoopThreadTest, UsageCountsTheThreadsOwnWork) {
  auto thread = *LoopThread::start({});
  const auto before = thread->usage();
  thread->call([] {
    const Instant end = Loop::read_clock() + milliseconds(5);
    while (Loop::read_clock() < end) continue;
  });
  const auto after = thread->usage();
  EXPECT_GT(after.cpu_ns - before.cpu_ns, 1'000'000);
  EXPECT_GE(after.wakes, before.wakes);
}

TEST(LoopThreadTest, AnImpossibleCpuIsAnError) { EXPECT_FALSE(LoopThread::start({1023})); }

}  // namespace
}  // namespace hone::system::net
