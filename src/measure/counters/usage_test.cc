#include "measure/counters/usage.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "system/fake_clock.h"

namespace hone::measure {
namespace {

using std::chrono::milliseconds;
using system::TreeUsage;
using testing::HasSubstr;
using testing::Not;

// A tree whose usage is a function of the time since the fake clock's start.
class FakeTree : public system::ProcessTable {
 public:
  explicit FakeTree(const system::Clock& clock) : clock_(clock), start_(clock.now()) {}

  std::function<std::int64_t(double ms)> cpu_ns = [](double) { return 5'000'000; };
  std::function<std::vector<pid_t>(double ms)> pids = [](double) {
    return std::vector<pid_t>{101, 102};
  };
  std::function<char(double ms)> state = [](double) { return 'S'; };
  std::function<std::vector<system::ThreadUsage>(double ms)> thread_usage = [](double) {
    return std::vector<system::ThreadUsage>{};
  };
  std::optional<Error> error;
  mutable int reads = 0;

  Result<std::vector<system::ProcessInfo>> tree(pid_t) const override {
    std::vector<system::ProcessInfo> members;
    for (const pid_t pid : pids(ms())) members.push_back({pid, 100, state(ms()), "server", 1});
    return members;
  }
  Result<TreeUsage> usage(pid_t root) const override {
    ++reads;
    if (error) return tl::make_unexpected(*error);
    EXPECT_EQ(root, 100);
    TreeUsage usage;
    usage.cpu_ns = cpu_ns(ms());
    usage.pids = pids(ms());
    usage.processes = static_cast<int>(usage.pids.size());
    return usage;
  }
  Result<std::vector<system::ThreadUsage>> threads(pid_t) const override {
    return thread_usage(ms());
  }
  Result<bool> owns_listener(pid_t, std::uint16_t) const override { return false; }
  std::string listener_of(std::uint16_t) const override { return ""; }

 private:
  double ms() const { return system::to_seconds(clock_.now() - start_) * 1e3; }
  const system::Clock& clock_;
  system::Instant start_;
};

class ReadWhenQuiet : public testing::Test {
 protected:
  double elapsed_ms() const { return system::to_seconds(clock_.now() - start_) * 1e3; }

  system::FakeClock clock_;
  system::Instant start_ = clock_.now();
  FakeTree tree_{clock_};
};

TEST_F(ReadWhenQuiet, a_sleeping_server_is_read_over_ten_milliseconds) {
  const auto usage = read_when_quiet(tree_, clock_, 100);
  ASSERT_TRUE(usage) << describe(usage.error());
  EXPECT_EQ(usage->cpu_ns, 5'000'000);
  EXPECT_DOUBLE_EQ(elapsed_ms(), 10);
  EXPECT_EQ(tree_.reads, 3);
}

TEST_F(ReadWhenQuiet, waits_until_the_work_is_done) {
  tree_.cpu_ns = [](double ms) { return static_cast<std::int64_t>(std::min(ms, 31.0) * 1e6); };
  const auto usage = read_when_quiet(tree_, clock_, 100);
  ASSERT_TRUE(usage) << describe(usage.error());
  EXPECT_EQ(usage->cpu_ns, 31'000'000);
  EXPECT_DOUBLE_EQ(elapsed_ms(), 45);  // at 35 ms the clock has moved for the last time
}

// A running thread's clock stands still between ticks; at CONFIG_HZ=100 those are 10 ms apart, so
// two reads 5 ms apart would have agreed at once, in the middle of the work.
TEST_F(ReadWhenQuiet, is_not_fooled_by_a_clock_that_moves_at_ticks) {
  tree_.cpu_ns = [](double ms) {
    return static_cast<std::int64_t>(std::min((ms + 2) / 10, 5.0)) * 10'000'000;
  };
  const auto usage = read_when_quiet(tree_, clock_, 100);
  ASSERT_TRUE(usage) << describe(usage.error());
  EXPECT_EQ(usage->cpu_ns, 50'000'000);
}

TEST_F(ReadWhenQuiet, an_idle_servers_timers_count_as_quiet) {
  tree_.cpu_ns = [](double ms) { return static_cast<std::int64_t>(ms * 4'000); };  // 20 us in 5 ms
  EXPECT_TRUE(read_when_quiet(tree_, clock_, 100));
  EXPECT_DOUBLE_EQ(elapsed_ms(), 10);
}

TEST_F(ReadWhenQuiet, a_running_process_is_waited_for_though_its_clock_stands_still) {
  tree_.state = [](double ms) { return ms < 50 ? 'R' : 'S'; };
  EXPECT_TRUE(read_when_quiet(tree_, clock_, 100));
  EXPECT_DOUBLE_EQ(elapsed_ms(), 55);
}

TEST_F(ReadWhenQuiet, a_changing_set_of_processes_is_not_quiet) {
  tree_.pids = [](double ms) {
    return ms < 30 ? std::vector<pid_t>{101, 102} : std::vector<pid_t>{101, 103};
  };
  const auto usage = read_when_quiet(tree_, clock_, 100);
  ASSERT_TRUE(usage);
  EXPECT_DOUBLE_EQ(elapsed_ms(), 10);  // quiet before the change: nothing to wait for
  clock_.set(start_ + milliseconds(28));
  ASSERT_TRUE(read_when_quiet(tree_, clock_, 100));
  EXPECT_DOUBLE_EQ(elapsed_ms(), 43);  // the change is seen at 33 ms
}

TEST_F(ReadWhenQuiet, a_busy_server_is_named) {
  tree_.cpu_ns = [](double ms) { return static_cast<std::int64_t>(ms * 1e6); };
  tree_.thread_usage = [](double ms) {
    return std::vector<system::ThreadUsage>{
        {102, "logger", 5},
        {103, "worker-1", static_cast<std::int64_t>(ms * 0.9e6)},
        {104, "stats", static_cast<std::int64_t>(ms * 0.1e6)}};
  };
  const auto usage = read_when_quiet(tree_, clock_, 100, milliseconds(300));
  ASSERT_FALSE(usage);
  EXPECT_EQ(usage.error().kind, ErrorKind::kTimeout);
  EXPECT_THAT(
      usage.error().what,
      HasSubstr("within 300 ms after the load had stopped: worker-1 (thread 103) used 9.0 ms "
                "in 10 ms, stats (thread 104) used 1.0 ms in 10 ms"));
  EXPECT_THAT(usage.error().what, Not(HasSubstr("logger")));
  EXPECT_FALSE(usage.error().next.empty());
  EXPECT_LE(elapsed_ms(), 320);
}

TEST_F(ReadWhenQuiet, a_server_that_keeps_forking_is_told_so) {
  tree_.pids = [](double ms) { return std::vector<pid_t>{static_cast<pid_t>(1000 + ms)}; };
  const auto usage = read_when_quiet(tree_, clock_, 100, milliseconds(100));
  ASSERT_FALSE(usage);
  EXPECT_EQ(usage.error().kind, ErrorKind::kTimeout);
  EXPECT_THAT(usage.error().what, HasSubstr("its processes kept coming and going"));
}

TEST_F(ReadWhenQuiet, passes_on_why_the_tree_cannot_be_read) {
  tree_.error = Error{ErrorKind::kPermission, "cannot read /proc/101/stat", {}, {}, {}};
  const auto usage = read_when_quiet(tree_, clock_, 100);
  ASSERT_FALSE(usage);
  EXPECT_EQ(usage.error().kind, ErrorKind::kPermission);
}

TreeUsage usage_of(std::int64_t cpu_ns, std::uint64_t wakes, std::vector<pid_t> pids) {
  TreeUsage usage;
  usage.cpu_ns = cpu_ns;
  usage.wakes = wakes;
  usage.run_delay_ns = cpu_ns / 10;
  usage.user_s = static_cast<double>(cpu_ns) * 0.7e-9;
  usage.system_s = static_cast<double>(cpu_ns) * 0.3e-9;
  usage.pids = std::move(pids);
  return usage;
}

TEST(Difference, is_what_the_slice_cost) {
  const SliceCost cost =
      difference(usage_of(1'000'000'000, 100, {7, 8}), usage_of(1'250'000'000, 350, {7, 8}));
  EXPECT_NEAR(cost.cpu_s, 0.25, 1e-12);
  EXPECT_EQ(cost.wakes, 250u);
  EXPECT_NEAR(cost.run_delay_s, 0.025, 1e-12);
  EXPECT_NEAR(cost.user_s, 0.175, 1e-12);
  EXPECT_NEAR(cost.system_s, 0.075, 1e-12);
  EXPECT_FALSE(cost.restarted);
}

TEST(Difference, tells_faults_and_preemptions) {
  TreeUsage before = usage_of(0, 0, {7});
  before.preempted = 5;
  before.minor_faults = 1000;
  before.major_faults = 3;
  TreeUsage after = before;
  after.preempted = 9;
  after.minor_faults = 1250;
  const SliceCost cost = difference(before, after);
  EXPECT_EQ(cost.preempted, 4u);
  EXPECT_EQ(cost.minor_faults, 250u);
  EXPECT_EQ(cost.major_faults, 0u);
}

TEST(ThreadCosts, are_matched_by_thread_and_the_busiest_comes_first) {
  using system::ThreadUsage;
  const std::vector<ThreadUsage> before = {{7, "main", 50'000'000, 10, 1},
                                           {8, "worker", 100'000'000, 20, 2},
                                           {9, "worker", 100'000'000, 30, {}},
                                           {10, "gone", 900'000'000, 1, 0}};
  const std::vector<ThreadUsage> after = {{7, "main", 51'000'000, 11, 1},  // 0.1 % of all
                                          {8, "worker", 500'000'000, 120, 2},
                                          {9, "worker", 700'000'000, 30, {}},
                                          {11, "new", 20'000'000, 5, 3}};
  const std::vector<ThreadCost> costs = thread_costs(before, after);
  ASSERT_EQ(costs.size(), 3u);
  EXPECT_DOUBLE_EQ(costs[0].cpu_s, 0.6);
  EXPECT_FALSE(costs[0].migrations);
  EXPECT_DOUBLE_EQ(costs[1].cpu_s, 0.4);
  EXPECT_EQ(costs[1].wakes, 100u);
  EXPECT_EQ(costs[1].migrations, 0u);
  EXPECT_EQ(costs[2].name, "new");
  EXPECT_EQ(costs[2].migrations, 3u);
  EXPECT_TRUE(thread_costs(before, before).empty());
}

TEST(Difference, a_replaced_process_is_a_restart_and_nothing_is_negative) {
  const SliceCost cost =
      difference(usage_of(1'000'000'000, 100, {7, 8}), usage_of(900'000'000, 20, {7, 9}));
  EXPECT_TRUE(cost.restarted);
  EXPECT_EQ(cost.cpu_s, 0);
  EXPECT_EQ(cost.wakes, 0u);
  EXPECT_EQ(cost.user_s, 0);
}

TEST(Difference, an_ended_child_is_a_restart) {
  const TreeUsage before = usage_of(1'000'000'000, 100, {7});
  TreeUsage after = usage_of(1'010'000'000, 120, {7});
  after.ended_cpu_ns = 10'000'000;
  EXPECT_TRUE(difference(before, after).restarted);
}

class ChargedCpu : public testing::Test {
 protected:
  // A slice of `clocks_us` by the clocks and `group_us` by the control group, of which children
  // that were waited for had `ended_ms`.
  static SliceCost slice(std::int64_t clocks_us, std::int64_t group_us, std::int64_t ended_ms = 0) {
    TreeUsage before = usage_of(7'000'000'000, 100, {7});
    TreeUsage after = usage_of(7'000'000'000 + clocks_us * 1000, 200, {7});
    before.cgroup_cpu_ns = 9'000'000'000;
    after.cgroup_cpu_ns = 9'000'000'000 + group_us * 1000;
    after.ended_cpu_ns = ended_ms * 1'000'000;
    return difference(before, after);
  }
};

TEST_F(ChargedCpu, is_the_clocks_where_the_group_agrees) {
  const SliceCost cost = slice(100'000, 100'139);  // bound: 40 us and 0.1 %
  EXPECT_NEAR(cost.cpu_s, 0.1, 1e-12);
  EXPECT_NEAR(cost.cgroup_cpu_s.value(), 0.100139, 1e-12);
  EXPECT_EQ(cost.beyond_clocks_s, 0);
  EXPECT_NEAR(slice(100'000, 99'861).cpu_s, 0.1, 1e-12);
}

TEST_F(ChargedCpu, is_the_larger_where_they_disagree) {
  const SliceCost unseen = slice(100'000, 100'141);
  EXPECT_NEAR(unseen.cpu_s, 0.100141, 1e-12);
  EXPECT_NEAR(unseen.beyond_clocks_s, 0.000141, 1e-12);
  const SliceCost left = slice(100'000, 60'000);  // a member went to another group
  EXPECT_NEAR(left.cpu_s, 0.1, 1e-12);
  EXPECT_NEAR(left.beyond_clocks_s, -0.04, 1e-12);
}

TEST_F(ChargedCpu, of_ended_children_is_the_groups_and_no_restart) {
  const SliceCost cost = slice(110'000, 104'000, 10);
  EXPECT_FALSE(cost.restarted);
  EXPECT_NEAR(cost.cpu_s, 0.104, 1e-12);
  EXPECT_EQ(cost.beyond_clocks_s, 0);
  EXPECT_NEAR(slice(150'000, 104'000, 10).cpu_s, 0.15, 1e-12);
}

TEST_F(ChargedCpu, without_a_group_is_the_clocks_and_says_why) {
  const TreeUsage before = usage_of(0, 0, {7});
  TreeUsage after = usage_of(1'000'000, 0, {7});
  after.no_cgroup = "not used: it may not be made";
  const SliceCost cost = difference(before, after);
  EXPECT_NEAR(cost.cpu_s, 0.001, 1e-12);
  EXPECT_FALSE(cost.cgroup_cpu_s);
  EXPECT_EQ(cost.no_cgroup, "not used: it may not be made");
}

}  // namespace
}  // namespace hone::measure
