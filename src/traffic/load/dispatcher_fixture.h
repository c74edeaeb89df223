// For tests: connections that do as the test says under a clock that it sets, and a dispatcher that
// drives them.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <utility>
#include <vector>

#include "traffic/load/dispatcher.h"

namespace hone::traffic::load {

inline constexpr system::Instant kStart{std::chrono::seconds(50)};

class FakeLines : public Lines {
 public:
  struct Line {
    std::vector<std::uint64_t> open;
    int slots = 1;
    bool up = true;
    bool taking = true;  // false: up, but without a slot
    int renewed = 0;
  };
  explicit FakeLines(int count, int slots = 1) : lines(static_cast<std::size_t>(count)) {
    for (Line& line : lines) line.slots = slots;
  }
  system::Instant now() override { return time; }
  bool is_up(int line) override { return at(line).up; }
  int free_slots(int line) override {
    const Line& state = at(line);
    return state.up && state.taking ? state.slots - static_cast<int>(state.open.size()) : 0;
  }
  void submit(int line, std::uint64_t id, std::uint16_t request) override {
    EXPECT_GT(free_slots(line), 0);
    at(line).open.push_back(id);
    submitted.push_back({line, id});
    requests.push_back(request);
  }
  void send(int line) override { sends.push_back(line); }
  void renew(int line) override {
    at(line).open.clear();
    at(line).up = false;
    at(line).taking = true;
    ++at(line).renewed;
  }
  Line& at(int line) { return lines[static_cast<std::size_t>(line)]; }

  system::Instant time = kStart;
  std::vector<Line> lines;
  std::vector<std::pair<int, std::uint64_t>> submitted;
  std::vector<std::uint16_t> requests;  // of each in `submitted`
  std::vector<int> sends;
};

class DispatcherTest : public testing::Test {
 protected:
  void make(int lines, int slots = 1, system::Duration timeout = std::chrono::seconds(1),
            const std::vector<double>& shares = {1}) {
    lines_ = std::make_unique<FakeLines>(lines, slots);
    dispatcher_ = std::make_unique<Dispatcher>(Share{lines, 0, 1}, lines_.get(), timeout, shares);
  }
  // Strictly even: request i is due at i gaps.
  void begin(double rate, double duration_s) {
    SliceSpec spec;
    spec.rate = rate;
    spec.duration_s = duration_s;
    spec.arrivals = {Arrivals::Kind::kEvenStrict, 1};
    dispatcher_->prepare(spec);
    dispatcher_->begin(kStart);
  }
  system::Instant advance_to(system::Duration after_start) {
    lines_->time = kStart + after_start;
    return dispatcher_->advance(lines_->time);
  }
  void answer(int line, int status = 200) {
    const std::uint64_t id = lines_->at(line).open.front();
    lines_->at(line).open.erase(lines_->at(line).open.begin());
    dispatcher_->answered(line, id, {status, 10, 0}, lines_->time);
    dispatcher_->line_ready(line, lines_->time);
  }
  void lose(int line, wire::Loss why, wire::Failure refusal = wire::Failure::kRefusedStream) {
    const std::uint64_t id = lines_->at(line).open.front();
    lines_->at(line).open.erase(lines_->at(line).open.begin());
    const auto failure = why == wire::Loss::kReset         ? wire::Failure::kStreamReset
                         : why == wire::Loss::kUnprocessed ? refusal
                                                           : wire::Failure::kClosedInBody;
    dispatcher_->lost(line, id, why, failure, lines_->time);
    dispatcher_->line_ready(line, lines_->time);
  }
  SliceResult finish() {
    SliceResult result = dispatcher_->finish(lines_->time);
    EXPECT_TRUE(check_identities(result));
    EXPECT_EQ(result.latency.count(),
              result.ok + result.bad_status + result.timeout + result.expired + result.unfinished);
    EXPECT_EQ(result.service.count(), result.ok + result.bad_status);
    EXPECT_EQ(result.lateness.count(), result.sent);
    return result;
  }
  std::unique_ptr<FakeLines> lines_;
  std::unique_ptr<Dispatcher> dispatcher_;
};

}  // namespace hone::traffic::load
