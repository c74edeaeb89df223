// One thread's event loop: epoll with deadlines. Load and origin share it; nothing here is virtual
// on the way of a byte except the one call into the owner of a descriptor.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "base/error.h"
#include "system/clock.h"

struct epoll_event;

namespace hone::system::net {

// Owner of one descriptor. `events` are EPOLLIN, EPOLLOUT, EPOLLHUP, EPOLLERR, EPOLLRDHUP. Delivery
// is level-triggered: an owner that leaves bytes unread is called again at the next turn.
class Pollable {
 public:
  virtual ~Pollable() = default;
  virtual void ready(std::uint32_t events) = 0;
};

// Called after every batch of events, and after every single event once its due time has come. The
// load generator's schedule is one: due sends do not wait for the rest of a batch, so a thread
// shared with the origin does not make them late.
class Pacer {
 public:
  virtual ~Pacer() = default;
  // Does what is due at `now` and returns when it wants to be called next (Instant::max(): never).
  virtual Instant advance(Instant now) = 0;
};

class Loop {
 public:
  static Result<std::unique_ptr<Loop>> create();
  ~Loop();
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;

  Status add(int fd, std::uint32_t events, Pollable* owner);
  Status change(int fd, std::uint32_t events, Pollable* owner);
  // Before the descriptor is closed; safe inside ready(), also of another owner: what the kernel
  // has already reported for it is not delivered any more.
  void remove(int fd);

  void add_pacer(Pacer* pacer);     // called for the first time before the loop sleeps again
  void remove_pacer(Pacer* pacer);  // safe inside ready() and advance()

  // Runs until stop() or `until`. `spin`: never sleeps in the kernel. Thread-safe: only stop() and
  // post(). Between events it sleeps to the next due time, without slack.
  void run(Instant until, bool spin = false);
  void set_spin(bool spin) { spin_ = spin; }    // from the next turn on, inside a run that sleeps
  void stop();                                  // also before run(): that one returns at once
  void post(std::function<void()> work);        // runs on the loop's thread, at the next turn
  Instant now() const { return now_; }          // read after each event and after the pacers
  std::uint64_t turn() const { return turn_; }  // a turn is one wait and what came of it
  static Instant read_clock() { return std::chrono::steady_clock::now(); }

 private:
  struct Entry {  // one per descriptor number
    Pollable* owner = nullptr;
    std::uint32_t generation = 0;  // counts remove()s: an event with an older one is stale
  };
  struct Pace {
    Pacer* pacer = nullptr;  // null once removed, until the list is tidied
    Instant due{};
  };

  Loop() = default;
  Status control(int operation, int fd, std::uint32_t events, Pollable* owner);
  int wait(epoll_event* events, int capacity, Instant due, bool spin);
  void set_timer(Instant due);
  void dispatch(const epoll_event& event);
  void advance_pacers(bool all);
  void run_posted();

  int epoll_ = -1;
  int wake_ = -1;
  int timer_ = -1;
  Instant set_for_ = Instant::max();  // what timer_ is set to
  bool spin_ = false;
  Instant now_{};
  std::uint64_t turn_ = 0;
  std::vector<Entry> entries_;  // by descriptor
  std::vector<Pace> pacers_;
  Instant next_due_ = Instant::max();

  std::atomic<bool> stopping_{false};
  std::mutex posted_mutex_;
  std::vector<std::function<void()>> posted_;  // guarded by posted_mutex_
};

// A thread that runs a loop until destroyed, on the given CPUs. The loop's objects are made and
// used on that thread through call().
class LoopThread {
 public:
  static Result<std::unique_ptr<LoopThread>> start(const std::vector<int>& cpus);
  ~LoopThread();
  LoopThread(const LoopThread&) = delete;
  LoopThread& operator=(const LoopThread&) = delete;
  Loop& loop() { return *loop_; }
  // Runs it on the thread and waits; at once when called on that thread. `work` must not wait.
  void call(const std::function<void()>& work);
  // CPU and voluntary switches of the thread so far, read on the thread itself: another thread
  // would see a clock that lags by up to a tick.
  struct Usage {
    std::int64_t cpu_ns = 0;
    std::uint64_t wakes = 0;
  };
  Usage usage() const;
  static Usage usage_of_this_thread();

 private:
  LoopThread() = default;
  struct Thread;
  std::unique_ptr<Loop> loop_;
  std::unique_ptr<Thread> thread_;
};

}  // namespace hone::system::net
