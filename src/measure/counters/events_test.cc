#include "measure/counters/events.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hone::measure {
namespace {

using system::EventReading;
using system::PerfEvent;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr pid_t kTree = 100;

class ThreadsOnly : public system::ProcessTable {
 public:
  // Lists are given out one after the other, the last for ever.
  std::vector<std::vector<pid_t>> tids = {{101, 102}};

  Result<std::vector<system::ThreadUsage>> threads(pid_t root) const override {
    EXPECT_EQ(root, kTree);
    std::vector<system::ThreadUsage> threads;
    const auto& now = tids[std::min(read_++, tids.size() - 1)];
    for (const pid_t tid : now) threads.push_back({tid, "worker", 0});
    return threads;
  }
  Result<std::vector<system::ProcessInfo>> tree(pid_t) const override { return {}; }
  Result<system::TreeUsage> usage(pid_t) const override { return {}; }
  Result<bool> owns_listener(pid_t, std::uint16_t) const override { return false; }
  std::string listener_of(std::uint16_t) const override { return ""; }

 private:
  mutable std::size_t read_ = 0;
};

class FakeEvents : public system::PerfEvents {
 public:
  std::vector<EventReading> readings;
  std::vector<std::string> unavailable = {"", ""};
  std::optional<Error> refusal;
  std::vector<std::vector<pid_t>> opened;
  int alive = 0;

  Result<std::unique_ptr<system::EventGroup>> open(const std::vector<pid_t>& threads,
                                                   const std::vector<PerfEvent>&) override {
    opened.push_back(threads);
    if (refusal) return tl::make_unexpected(*refusal);
    return std::make_unique<Group>(this);
  }

 private:
  struct Group : system::EventGroup {
    explicit Group(FakeEvents* events) : events_(events) { ++events_->alive; }
    ~Group() override { --events_->alive; }
    Result<EventReading> read() const override { return events_->readings.at(read_++); }
    const std::vector<std::string>& unavailable() const override { return events_->unavailable; }
    FakeEvents* events_;
    mutable std::size_t read_ = 0;
  };
};

class CountEvents : public testing::Test {
 protected:
  Result<std::vector<Counter>> count() {
    return count_events(table_, events_, kTree,
                        {PerfEvent::kInstructionsUser, PerfEvent::kCyclesUser}, [this]() -> Status {
                          ++worked_;
                          EXPECT_EQ(events_.alive, 1);
                          return status_;
                        });
  }

  ThreadsOnly table_;
  FakeEvents events_;
  Status status_;
  int worked_ = 0;
};

TEST_F(CountEvents, is_the_difference_over_the_work) {
  events_.readings = {{{1'000, 50}, 700, 700}, {{251'000, 100'050}, 1700, 1700}};
  const auto counters = count();
  ASSERT_TRUE(counters) << describe(counters.error());
  ASSERT_EQ(counters->size(), 2u);
  EXPECT_EQ((*counters)[0].name, "instructions, user");
  EXPECT_EQ((*counters)[0].count, 250'000);
  EXPECT_EQ((*counters)[1].name, "cycles, user");
  EXPECT_EQ((*counters)[1].count, 100'000);
  EXPECT_EQ((*counters)[0].unavailable, "");
  EXPECT_THAT(events_.opened, ElementsAre(ElementsAre(101, 102)));
  EXPECT_EQ(worked_, 1);
  EXPECT_EQ(events_.alive, 0);  // nothing goes on counting
}

TEST_F(CountEvents, shared_counters_are_scaled_by_the_time_they_ran) {
  events_.readings = {{{0, 0}, 1'000, 500}, {{960, 96}, 2'000, 1'460}};  // 96 % of this stretch
  const auto counters = count();
  ASSERT_TRUE(counters);
  EXPECT_DOUBLE_EQ((*counters)[0].count, 1'000);
  EXPECT_DOUBLE_EQ((*counters)[1].count, 100);
}

TEST_F(CountEvents, below_95_percent_there_is_a_reason_and_no_figure) {
  events_.readings = {{{0, 0}, 0, 0}, {{940, 94}, 1'000, 940}};
  const auto counters = count();
  ASSERT_TRUE(counters);
  for (const Counter& counter : *counters) {
    EXPECT_EQ(counter.count, 0);
    EXPECT_THAT(counter.unavailable, HasSubstr("in other hands for 6.0 % of the time (limit 5 %)"));
  }
}

TEST_F(CountEvents, an_arm_that_did_not_run_has_no_figure) {
  events_.readings = {{{5, 5}, 10, 10}, {{5, 5}, 10, 10}};
  const auto counters = count();
  ASSERT_TRUE(counters);
  EXPECT_THAT((*counters)[0].unavailable, HasSubstr("did not run"));
}

TEST_F(CountEvents, an_event_that_the_cpu_lacks_leaves_the_others) {
  events_.readings = {{{0, 7}, 0, 0}, {{0, 107}, 10, 10}};
  events_.unavailable = {"not available here: this machine has no such counter", ""};
  const auto counters = count();
  ASSERT_TRUE(counters);
  EXPECT_THAT((*counters)[0].unavailable, HasSubstr("no such counter"));
  EXPECT_EQ((*counters)[1].count, 100);
}

TEST_F(CountEvents, where_nothing_can_be_counted_no_load_is_given) {
  events_.refusal =
      Error{ErrorKind::kPermission, "not available here: perf_event_paranoid 3", {}, {}, {}};
  const auto counters = count();
  ASSERT_TRUE(counters);
  ASSERT_EQ(counters->size(), 2u);
  EXPECT_THAT((*counters)[1].unavailable, HasSubstr("perf_event_paranoid 3"));
  EXPECT_EQ(worked_, 0);
}

TEST_F(CountEvents, threads_that_appear_while_attaching_are_attached_to) {
  events_.readings = {{{0, 0}, 0, 0}, {{10, 10}, 10, 10}};
  table_.tids = {{101}, {101, 102}};
  ASSERT_TRUE(count());
  EXPECT_THAT(events_.opened, ElementsAre(ElementsAre(101), ElementsAre(101, 102)));
  table_.tids = {{1}, {2}, {3}, {4}, {5}, {6}, {7}, {8}, {9}, {10}};
  const auto counters = count();
  ASSERT_TRUE(counters);
  EXPECT_THAT((*counters)[0].unavailable, HasSubstr("coming and going"));
}

TEST_F(CountEvents, the_works_own_failure_is_an_error) {
  events_.readings = {{{0, 0}, 0, 0}, {{10, 10}, 10, 10}};
  status_ = fail(ErrorKind::kSubjectDied, "the server ended");
  const auto counters = count();
  ASSERT_FALSE(counters);
  EXPECT_EQ(counters.error().kind, ErrorKind::kSubjectDied);
}

TEST(EventSets, have_names_of_their_own) {
  std::vector<std::string> names;
  for (const EventSet& set : event_sets()) {
    for (const PerfEvent event : set) names.emplace_back(name(event));
  }
  std::sort(names.begin(), names.end());
  EXPECT_EQ(std::adjacent_find(names.begin(), names.end()), names.end());
  EXPECT_EQ(names.size(), 22u);
}

}  // namespace
}  // namespace hone::measure
