// How the loop waits, and why so.
//
// Level-triggered epoll: an owner reads once, into a buffer that holds nearly every answer whole,
// and returns; whatever is left brings it back in the next turn. Edge triggering would ask for
// reads until EAGAIN, one useless system call per answer, and lets one busy connection starve the
// others. Writing is tried at once and EPOLLOUT is registered only while the kernel's buffer is
// full, so level triggering does not turn on writable sockets.
//
// The clock is read after every event and after the pacers (about 25 ns through the vDSO, against
// more than a microsecond for the read() or send() in the event), and a pacer whose time has come
// is called there and then. Reading it once per batch would let the 64th event's work delay a due
// send by everything the other 63 did.
//
// Sleeping: the next due time is set in a timerfd, and only when it has changed; an answer that
// wakes the loop in between leaves the timer as it is. A timeout given to the wait itself
// (epoll_pwait2) would program the timer hardware at every wait, which on a virtual machine leaves
// the guest. The descriptor is edge-triggered and never read: setting it anew takes its expiry
// back. No timer slack applies to it. Rejected: io_uring, which costs as much as epoll for such
// traffic (bench/io_uring.cc).
#include "system/net/loop.h"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "system/os_error.h"

namespace hone::system::net {
namespace {

// Events taken from the kernel at once. More only delays the next look at posted work.
constexpr int kEventsPerTurn = 64;

std::uint64_t event_key(int fd, std::uint32_t generation) {
  return (static_cast<std::uint64_t>(generation) << 32) | static_cast<std::uint32_t>(fd);
}

tl::unexpected<Error> os_error(const std::string& what) {
  const int code = errno;
  return fail(ErrorKind::kIo, what + ": " + os_message(code),
              code == EMFILE || code == ENFILE ? "raise the limit of open files (ulimit -n)" : "");
}

}  // namespace

Result<std::unique_ptr<Loop>> Loop::create() {
  std::unique_ptr<Loop> loop(new Loop);
  loop->epoll_ = ::epoll_create1(EPOLL_CLOEXEC);
  if (loop->epoll_ < 0) return os_error("cannot make an epoll descriptor");
  loop->wake_ = ::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
  if (loop->wake_ < 0) return os_error("cannot make an eventfd");
  // Its own descriptors have no owner.
  HONE_CHECK(loop->control(EPOLL_CTL_ADD, loop->wake_, EPOLLIN, nullptr));
  // steady_clock is CLOCK_MONOTONIC here: due times are set as they are.
  loop->timer_ = ::timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
  if (loop->timer_ < 0) return os_error("cannot make a timerfd");
  HONE_CHECK(loop->control(EPOLL_CTL_ADD, loop->timer_, EPOLLIN | EPOLLET, nullptr));
  loop->now_ = read_clock();
  return loop;
}

Loop::~Loop() {
  if (wake_ >= 0) ::close(wake_);
  if (timer_ >= 0) ::close(timer_);
  if (epoll_ >= 0) ::close(epoll_);
}

Status Loop::control(int operation, int fd, std::uint32_t events, Pollable* owner) {
  if (fd < 0) return fail(ErrorKind::kInternal, "a closed descriptor was given to the event loop");
  const auto index = static_cast<std::size_t>(fd);
  if (index >= entries_.size()) entries_.resize(std::max(index + 1, entries_.size() * 2));
  Entry& entry = entries_[index];
  epoll_event event{};
  event.events = events;
  event.data.u64 = event_key(fd, entry.generation);
  if (::epoll_ctl(epoll_, operation, fd, &event) != 0) {
    return os_error("cannot watch descriptor " + std::to_string(fd));
  }
  entry.owner = owner;
  return {};
}

Status Loop::add(int fd, std::uint32_t events, Pollable* owner) {
  return control(EPOLL_CTL_ADD, fd, events, owner);
}

Status Loop::change(int fd, std::uint32_t events, Pollable* owner) {
  return control(EPOLL_CTL_MOD, fd, events, owner);
}

void Loop::remove(int fd) {
  if (fd < 0 || static_cast<std::size_t>(fd) >= entries_.size()) return;
  Entry& entry = entries_[static_cast<std::size_t>(fd)];
  if (entry.owner == nullptr) return;
  entry.owner = nullptr;
  ++entry.generation;
  ::epoll_ctl(epoll_, EPOLL_CTL_DEL, fd, nullptr);
}

void Loop::add_pacer(Pacer* pacer) {
  pacers_.push_back({pacer, Instant::min()});
  next_due_ = Instant::min();
}

void Loop::remove_pacer(Pacer* pacer) {
  for (Pace& pace : pacers_) {
    if (pace.pacer == pacer) pace.pacer = nullptr;
  }
}

void Loop::advance_pacers(bool all) {
  // By index, and over those that were there at the start: advance() may add and remove pacers. A
  // new one keeps next_due_ at its own (the minimum), so it is called at the next look.
  const std::size_t count = pacers_.size();
  for (std::size_t i = 0; i < count; ++i) {
    Pacer* const pacer = pacers_[i].pacer;
    if (pacer == nullptr || (!all && pacers_[i].due > now_)) continue;
    const Instant due = pacer->advance(now_);
    pacers_[i].due = due;
  }
  std::erase_if(pacers_, [](const Pace& pace) { return pace.pacer == nullptr; });
  next_due_ = Instant::max();
  for (const Pace& pace : pacers_) next_due_ = std::min(next_due_, pace.due);
  // What the pacers took counts: the sleep to the next due time would be that much too long, and
  // the events that follow would be dated before what they answer was sent.
  now_ = read_clock();
}

int Loop::wait(epoll_event* events, int capacity, Instant due, bool spin) {
  if (spin || due <= now_) return ::epoll_wait(epoll_, events, capacity, 0);
  if (due != set_for_) set_timer(due);
  return ::epoll_wait(epoll_, events, capacity, -1);
}

void Loop::set_timer(Instant due) {
  itimerspec at{};  // zero takes the timer back: never due
  if (due != Instant::max()) {
    const Duration since_boot = due.time_since_epoch();
    const auto whole = std::chrono::duration_cast<std::chrono::seconds>(since_boot);
    at.it_value.tv_sec = whole.count();
    at.it_value.tv_nsec = (since_boot - whole).count();
  }
  // It can only fail for a time that is no time.
  ::timerfd_settime(timer_, TFD_TIMER_ABSTIME, &at, nullptr);
  set_for_ = due;
}

void Loop::dispatch(const epoll_event& event) {
  const auto fd = static_cast<std::size_t>(event.data.u64 & 0xffffffffU);
  const auto generation = static_cast<std::uint32_t>(event.data.u64 >> 32);
  if (static_cast<int>(fd) == wake_) {
    std::uint64_t ignored = 0;
    [[maybe_unused]] const ssize_t n = ::read(wake_, &ignored, sizeof ignored);
    run_posted();
    return;
  }
  const Entry& entry = entries_[fd];
  if (entry.generation != generation || entry.owner == nullptr) return;  // removed in this batch
  entry.owner->ready(event.events);
}

void Loop::run(Instant until, bool spin) {
  std::array<epoll_event, kEventsPerTurn> events;
  while (true) {
    now_ = read_clock();
    advance_pacers(/*all=*/true);
    if (stopping_.exchange(false, std::memory_order_acq_rel)) break;
    if (now_ >= until) return;
    const int count =
        wait(events.data(), kEventsPerTurn, std::min(next_due_, until), spin || spin_);
    ++turn_;
    now_ = read_clock();
    for (int i = 0; i < count; ++i) {
      const epoll_event& event = events[static_cast<std::size_t>(i)];
      if (event.data.u64 == event_key(timer_, 0)) {
        set_for_ = Instant::max();  // over; should its time still lie ahead, it is set again
        continue;
      }
      if (now_ >= next_due_) advance_pacers(/*all=*/false);
      dispatch(event);
      now_ = read_clock();
    }
  }
  run_posted();  // whoever waits for posted work (LoopThread::call) is not left waiting
}

void Loop::run_posted() {
  std::vector<std::function<void()>> work;
  {
    const std::lock_guard lock(posted_mutex_);
    work.swap(posted_);
  }
  for (const auto& function : work) function();
}

void Loop::post(std::function<void()> work) {
  {
    const std::lock_guard lock(posted_mutex_);
    posted_.push_back(std::move(work));
  }
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t n = ::write(wake_, &one, sizeof one);
}

void Loop::stop() {
  stopping_.store(true, std::memory_order_release);
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t n = ::write(wake_, &one, sizeof one);
}

}  // namespace hone::system::net
