#include <pthread.h>
#include <sys/resource.h>

#include <condition_variable>
#include <csignal>
#include <ctime>
#include <future>
#include <thread>

#include "system/cpus.h"
#include "system/net/loop.h"

namespace hone::system::net {

struct LoopThread::Thread {
  std::thread thread;

  // Posts `work` to `loop` and waits for its end.
  void call(Loop& loop, const std::function<void()>& work) const {
    if (std::this_thread::get_id() == thread.get_id()) return work();
    std::mutex mutex;
    std::condition_variable finished;
    bool done = false;
    loop.post([&] {
      work();
      // Under the lock: the waiter may not leave, and so destroy these, before notify is over.
      const std::lock_guard lock(mutex);
      done = true;
      finished.notify_one();
    });
    std::unique_lock lock(mutex);
    finished.wait(lock, [&] { return done; });
  }
};

Result<std::unique_ptr<LoopThread>> LoopThread::start(const std::vector<int>& cpus) {
  std::unique_ptr<LoopThread> result(new LoopThread);
  HONE_TRY(result->loop_, Loop::create());
  result->thread_ = std::make_unique<Thread>();

  // Signals go to the threads that wait for them: one that interrupted this loop's sleep would
  // leave the main thread asleep in its own wait.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  std::promise<Status> pinned;
  std::future<Status> outcome = pinned.get_future();
  try {
    result->thread_->thread = std::thread([&cpus, loop = result->loop_.get(), &pinned] {
      const Status status = pin_this_thread(cpus);
      const bool run = status.has_value();
      pinned.set_value(status);
      if (run) loop->run(Instant::max());
    });
  } catch (const std::system_error& e) {
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    return fail(ErrorKind::kIo, std::string("cannot start a thread: ") + e.what(),
                "raise the limit of processes (ulimit -u)");
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (Status status = outcome.get(); !status) {
    return tl::make_unexpected(
        while_doing(status.error(), "putting the load's thread on its CPUs"));
  }
  return result;
}

LoopThread::~LoopThread() {
  if (!thread_ || !thread_->thread.joinable()) return;
  loop_->stop();
  thread_->thread.join();
}

void LoopThread::call(const std::function<void()>& work) { thread_->call(*loop_, work); }

LoopThread::Usage LoopThread::usage() const {
  Usage usage;
  thread_->call(*loop_, [&usage] { usage = usage_of_this_thread(); });
  return usage;
}

LoopThread::Usage LoopThread::usage_of_this_thread() {
  Usage usage;
  timespec cpu{};
  if (::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &cpu) == 0) {
    usage.cpu_ns = static_cast<std::int64_t>(cpu.tv_sec) * 1'000'000'000 + cpu.tv_nsec;
  }
  rusage own{};
  if (::getrusage(RUSAGE_THREAD, &own) == 0) {
    usage.wakes = static_cast<std::uint64_t>(own.ru_nvcsw);
  }
  return usage;
}

}  // namespace hone::system::net
