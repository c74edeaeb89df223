#include "traffic/origin/origin_threads.h"

#include <sys/epoll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <utility>

#include "system/interrupt.h"
#include "traffic/origin/siblings.h"
#include "traffic/wire/tls.h"

namespace hone::traffic::origin {

using system::net::Loop;
using system::net::LoopThread;

Result<std::unique_ptr<OriginThreads>> OriginThreads::start(OriginSpec spec, int threads) {
  // 1,024: the kernel's CONFIG_NR_CPUS on the machines this runs on; more is a slip of the hand.
  if (threads < 1 || threads > 1024) {
    return fail(ErrorKind::kUsage, "an origin of " + std::to_string(threads) + " threads",
                "give a number from 1 to 1024");
  }
  std::unique_ptr<OriginThreads> all(new OriginThreads);
  spec.reuse_port = threads > 1;
  if (threads > 1) spec.siblings = std::make_shared<Siblings>();
  // The kernel deals a peer's next connection to any thread: each resumes what another one began.
  if (!spec.tls_cert.empty()) {
    HONE_TRY(spec.ticket_keys, wire::make_ticket_keys());
  }
  for (int i = 0; i < threads; ++i) {
    HONE_TRY(auto thread, LoopThread::start({}));
    Result<std::unique_ptr<Origin>> origin;
    thread->call([&] { origin = Origin::listen(&thread->loop(), spec); });
    if (!origin) return tl::make_unexpected(std::move(origin).error());
    spec.listen.port = (*origin)->port();  // the others join the first
    all->members_.push_back({std::move(thread), *std::move(origin)});
  }
  all->port_ = spec.listen.port;
  return all;
}

OriginThreads::~OriginThreads() {
  for (Member& member : members_) {
    member.thread->call([&] { member.origin.reset(); });
  }
}

OriginCounters OriginThreads::counters() const {
  OriginCounters sum;
  for (const Member& member : members_) {
    OriginCounters one;
    member.thread->call([&] { one = member.origin->counters(); });
    add(&sum, one);
  }
  return sum;
}

namespace {

class StopWhenReadable final : public system::net::Pollable {
 public:
  explicit StopWhenReadable(Loop* loop) : loop_(loop) {}
  void ready(std::uint32_t) override { loop_->stop(); }

 private:
  Loop* loop_;
};

class StopAtEnd final : public system::net::Pollable {
 public:
  StopAtEnd(Loop* loop, int fd) : loop_(loop), fd_(fd) {}
  void ready(std::uint32_t) override {
    std::array<char, 4096> piece;
    const ssize_t got = ::read(fd_, piece.data(), piece.size());
    if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) loop_->stop();
  }

 private:
  Loop* loop_;
  int fd_;
};

}  // namespace

Status wait_until_interrupted(int input) {
  HONE_TRY(const std::unique_ptr<Loop> loop, Loop::create());
  StopWhenReadable stop(loop.get());
  HONE_CHECK(loop->add(system::interrupt_fd(), EPOLLIN, &stop));
  StopAtEnd end(loop.get(), input);
  if (input >= 0 && !loop->add(input, EPOLLIN, &end)) {
    return fail(ErrorKind::kUsage, "standard input is not one whose end can be waited for",
                "give it a pipe, as ssh does");
  }
  loop->run(system::Instant::max());
  return {};
}

}  // namespace hone::traffic::origin
