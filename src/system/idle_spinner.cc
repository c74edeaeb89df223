// Threads of hone and not a process of their own: a process could end up in another scheduling
// group (a new session with autogroup, another cgroup), and there SCHED_IDLE is worth half a CPU.
// Whether it holds on this machine is shown by check(), not believed.
#include "system/idle_spinner.h"

#include <fmt/format.h>
#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <ctime>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>

#include "base/text.h"
#include "system/cpus.h"
#include "system/os_error.h"

namespace hone::system {
namespace {

// Between two looks at the stop flag; a pause takes 10 to 140 cycles on x86 CPUs, so a stop is seen
// in microseconds.
constexpr int kPausesPerLook = 64;
// The busy loop looks at its clock this often: below 0.1 % of its time goes there.
constexpr int kWorkPerLook = 20'000;
// A check is a moment before a proof; longer ones are a mistake on the command line.
constexpr double kLongestSpinSeconds = 60;

void pause_cpu() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

double clock_s(clockid_t clock) {
  timespec time{};
  ::clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

class ThreadSpinner : public IdleSpinner {
 public:
  explicit ThreadSpinner(std::vector<int> cpus) : cpus_(std::move(cpus)), turns_(cpus_.size()) {}

  ~ThreadSpinner() override {
    stop_ = true;
    for (std::thread& thread : threads_) {
      // On a CPU that others keep busy, a thread of the idle class may not see for seconds that it
      // is to stop. Leaving the class needs a right that not every user has; leaving the CPU does
      // not.
      const sched_param none{};
      ::pthread_setschedparam(thread.native_handle(), SCHED_OTHER, &none);
      static_cast<void>(pin_thread(thread.native_handle(), allowed_cpus()));
      thread.join();
    }
  }

  // The threads are put in their place from here: one of the idle class may wait for its first turn
  // as long as others keep its CPU busy.
  Status spin() {
    for (const int cpu : cpus_) {
      try {
        threads_.emplace_back(&ThreadSpinner::turn, this, &turns_[threads_.size()].count);
      } catch (const std::system_error& e) {
        return fail(ErrorKind::kMachineUnfit,
                    std::string("cannot start a spinner thread: ") + e.what(),
                    "raise the limit of processes: ulimit -u");
      }
      const pthread_t thread = threads_.back().native_handle();
      HONE_CHECK(pin_thread(thread, {cpu}));
      const sched_param none{};
      if (const int error = ::pthread_setschedparam(thread, SCHED_IDLE, &none); error != 0)
        return fail(ErrorKind::kMachineUnfit, "the kernel refuses SCHED_IDLE: " + os_message(error),
                    "--no-spinner, or [prove] spinner = false");
    }
    return {};
  }

  Spun spun() const override {
    Spun sum;
    for (const std::thread& thread : threads_) {
      clockid_t clock{};
      timespec time{};
      // std::thread::native_handle() is not const in the standard, though it changes nothing.
      const pthread_t handle = const_cast<std::thread&>(thread).native_handle();
      if (::pthread_getcpuclockid(handle, &clock) == 0 && ::clock_gettime(clock, &time) == 0)
        sum.cpu_ns += std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
    }
    for (const Turns& turns : turns_) sum.turns += turns.count.load(std::memory_order_relaxed);
    return sum;
  }

  Result<double> check(Processes& processes, double seconds) override {
    double worst = 1;
    for (const int cpu : cpus_) {
      Command command;
      // By pid: the file of this process's program may have been replaced by a new build.
      command.argv = {"/proc/" + std::to_string(::getpid()) + "/exe", "spin",
                      fmt::format("{:.3f}", seconds)};
      command.cpus = {cpu};
      command.own_cgroup = true;  // as an arm: it must not be scheduled apart for that
      // A loop that gets a tenth of its CPU still ends by the wall clock; the rest is for starting.
      command.limit_s = seconds + 10;
      HONE_TRY(const std::string printed, processes.capture(command));
      HONE_TRY(const double share, parse_double(trim(printed)));
      worst = std::min(worst, share);
    }
    return worst;
  }

 private:
  struct alignas(64) Turns {  // a cache line each, or the threads would slow each other
    std::atomic<std::uint64_t> count{0};
  };

  void turn(std::atomic<std::uint64_t>* turns) const {
    std::uint64_t count = 0;
    while (!stop_.load(std::memory_order_relaxed)) {
      for (int i = 0; i < kPausesPerLook; ++i) pause_cpu();
      turns->store(++count, std::memory_order_relaxed);
    }
  }

  std::vector<int> cpus_;
  std::vector<Turns> turns_;
  std::vector<std::thread> threads_;
  std::atomic<bool> stop_{false};
};

}  // namespace

Result<std::unique_ptr<IdleSpinner>> IdleSpinner::start(const std::vector<int>& cpus) {
  auto spinner = std::make_unique<ThreadSpinner>(cpus);
  HONE_CHECK(spinner->spin());
  return spinner;
}

int busy_loop_if_asked(int argc, char** argv) {
  if (argc != 3 || std::string_view(argv[1]) != "spin") return -1;
  const Result<double> seconds = parse_double(argv[2]);
  if (!seconds || *seconds <= 0 || *seconds > kLongestSpinSeconds)
    return exit_code(ErrorKind::kUsage);
  const double wall_start = clock_s(CLOCK_MONOTONIC);
  const double cpu_start = clock_s(CLOCK_THREAD_CPUTIME_ID);
  double wall = 0;
  volatile unsigned turns = 0;
  while ((wall = clock_s(CLOCK_MONOTONIC) - wall_start) < *seconds)
    for (int i = 0; i < kWorkPerLook; ++i) turns = turns + 1;
  const double share = (clock_s(CLOCK_THREAD_CPUTIME_ID) - cpu_start) / wall;
  const std::string text = fmt::format("{:.6f}\n", share);
  return ::write(STDOUT_FILENO, text.data(), text.size()) == static_cast<ssize_t>(text.size()) ? 0
                                                                                               : 1;
}

}  // namespace hone::system
