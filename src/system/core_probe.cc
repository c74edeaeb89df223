// Threads of its own for both CPUs: the caller's keeps its place. The loop has eight chains of
// integer work that do not wait for each other, three to four instructions a cycle; one chain would
// leave half of the units free, and a sibling would go unnoticed.
#include "system/core_probe.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <ctime>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "system/cpus.h"

namespace hone::system {
namespace {

// Alone, both, both, alone, ...: a clock that drifts hits both kinds alike. Three of each have a
// median that one disturbance does not move.
constexpr std::array<bool, 6> kTogether = {false, true, true, false, false, true};
// The neighbour needs a wake-up and a few thousand turns before it counts as running.
constexpr Duration kSettle = std::chrono::milliseconds(1);

// About 2 us, so that windows and the stop flag are looked at often and the looking is below 2 %.
void turn() {
  std::array<std::uint64_t, 8> chain = {1, 2, 3, 4, 5, 6, 7, 8};
  for (int i = 0; i < 512; ++i) {
    for (std::uint64_t& x : chain) x = (x ^ (x >> 7)) + 0x9e37;
  }
  for (std::uint64_t& x : chain) asm volatile("" : "+r"(x));
}

double clock_seconds(clockid_t clock) {
  timespec time{};
  ::clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

// Turns per second of this thread's CPU time over a stretch of wall time.
double speed_over(Duration stretch) {
  const double cpu_start = clock_seconds(CLOCK_THREAD_CPUTIME_ID);
  const double end = clock_seconds(CLOCK_MONOTONIC) + to_seconds(stretch);
  std::uint64_t turns = 0;
  do {
    turn();
    ++turns;
  } while (clock_seconds(CLOCK_MONOTONIC) < end);
  const double used = clock_seconds(CLOCK_THREAD_CPUTIME_ID) - cpu_start;
  return used > 0 ? static_cast<double>(turns) / used : 0;
}

double middle(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

// Runs the loop while told to; costs nothing while it rests.
class Neighbour {
 public:
  ~Neighbour() {
    tell(kEnd);
    if (thread_.joinable()) thread_.join();
  }
  Status start(int cpu) {
    thread_ = std::thread(&Neighbour::run, this);
    return pin_thread(thread_.native_handle(), {cpu});
  }
  void run_loop() { tell(kRun); }
  void rest() { tell(kRest); }

 private:
  enum State { kRest, kRun, kEnd };
  void tell(State state) {
    state_ = state;
    state_.notify_one();
  }
  void run() {
    while (state_ != kEnd) {
      state_.wait(kRest);
      while (state_ == kRun) turn();
    }
  }
  std::atomic<State> state_{kRest};
  std::thread thread_;
};

Result<double> measure_beside(int cpu, int other, Duration limit) {
  HONE_CHECK(pin_this_thread({cpu}));
  Neighbour neighbour;
  HONE_CHECK(neighbour.start(other));
  const Duration window = limit / static_cast<int>(kTogether.size()) - kSettle;
  std::vector<double> alone;
  std::vector<double> beside;
  for (const bool together : kTogether) {
    together ? neighbour.run_loop() : neighbour.rest();
    speed_over(kSettle);
    (together ? beside : alone).push_back(speed_over(std::max(window, kSettle)));
  }
  return middle(beside) / middle(alone);
}

Result<std::vector<double>> measure_alone(int cpu, Duration window, int windows) {
  HONE_CHECK(pin_this_thread({cpu}));
  speed_over(kSettle);
  std::vector<double> speeds;
  for (int i = 0; i < windows; ++i) speeds.push_back(speed_over(window));
  return speeds;
}

template <typename T, typename Measure>
Result<T> on_a_thread(const Measure& measure) {
  Result<T> measured;
  try {
    std::thread([&] { measured = measure(); }).join();
  } catch (const std::system_error& e) {
    return fail(ErrorKind::kMachineUnfit, std::string("cannot start a thread: ") + e.what(),
                "raise the limit of processes: ulimit -u");
  }
  return measured;
}

}  // namespace

Result<double> speed_beside(int cpu, int other, Duration limit) {
  return on_a_thread<double>([&] { return measure_beside(cpu, other, limit); });
}

Result<std::vector<double>> speeds_alone(int cpu, Duration window, int windows) {
  return on_a_thread<std::vector<double>>([&] { return measure_alone(cpu, window, windows); });
}

}  // namespace hone::system
