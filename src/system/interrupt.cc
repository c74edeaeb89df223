// The state is process-wide because a signal handler can reach nothing else; it is written by the
// handler and by catch_interrupts() alone.
#include "system/interrupt.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>

namespace hone::system {
namespace {

std::atomic<bool> interrupt_seen{false};
std::atomic<int> interrupt_event{-1};
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<int>::is_always_lock_free,
              "a signal handler may not take a lock");

void on_interrupt(int number) {
  const int saved_errno = errno;
  if (interrupt_seen.exchange(true)) {
    // The second one: the user does not want to wait. The signal is blocked until this handler
    // returns and then ends the process in the way its parent expects to see.
    struct sigaction standard{};
    standard.sa_handler = SIG_DFL;
    ::sigaction(number, &standard, nullptr);
    ::raise(number);
  } else {
    const std::uint64_t one = 1;  // never read back: the descriptor stays readable
    [[maybe_unused]] const ssize_t written = ::write(interrupt_event, &one, sizeof one);
  }
  errno = saved_errno;
}

}  // namespace

void catch_interrupts() {
  if (interrupt_event < 0) interrupt_event = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  struct sigaction action{};
  action.sa_handler = on_interrupt;
  // Calls that can go on do; waits look at interrupt_fd() or interrupted().
  action.sa_flags = SA_RESTART;
  for (const int number : {SIGINT, SIGTERM}) ::sigaction(number, &action, nullptr);
}

bool interrupted() { return interrupt_seen.load(std::memory_order_relaxed); }

Status check_interrupted() {
  if (!interrupted()) return {};
  return fail(ErrorKind::kInterrupted, "stopped by Ctrl-C or SIGTERM",
              "run the same command again: it goes on where it was");
}

int interrupt_fd() { return interrupt_event; }

}  // namespace hone::system
