// Would io_uring make the load generator's loop cheaper? The same traffic by both: bursts of HTTP/1
// requests over a few connections at a fixed rate, each answer read as it comes.
//
//   io_uring PORT [PATH [ROUNDS [SECONDS [RATE]]]]     of a server on 127.0.0.1
//
// Both ways run in every round, in turn first. Printed: CPU of the whole process, kernel workers
// for the ring included, per answer, and the ratio of the two. What is compared is the waiting and
// the moving of bytes alone; there is no parser here: an answer has as many bytes as the first one
// had.
#include <arpa/inet.h>
#include <fmt/format.h>
#include <liburing.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

constexpr unsigned kConnections = 16;
constexpr std::size_t kBufferBytes = 64 << 10;

[[noreturn]] void end(const std::string& what) {
  fmt::print(stderr, "io_uring: {}: {}\n", what, std::strerror(errno));
  std::exit(1);
}

struct Plan {
  std::string request;
  std::size_t answer_bytes = 0;
  double seconds = 2;
  double rate = 8000;
  Clock::duration gap() const {
    return std::chrono::nanoseconds(static_cast<std::int64_t>(1e9 * kConnections / rate));
  }
  int bursts() const { return static_cast<int>(seconds * rate / kConnections); }
};

struct Connection {
  int fd = -1;
  std::size_t left = 0;  // of the answer awaited
  std::vector<char> buffer = std::vector<char>(kBufferBytes);
};

int open_connection(std::uint16_t port) {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(port);
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::connect(fd, reinterpret_cast<sockaddr*>(&to), sizeof to) != 0) end("cannot connect");
  const int on = 1;
  ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  return fd;
}

// The length of one whole answer, by its content-length.
std::size_t measure_answer(const Plan& plan, std::uint16_t port) {
  const int fd = open_connection(port);
  if (::send(fd, plan.request.data(), plan.request.size(), MSG_NOSIGNAL) < 0) end("cannot send");
  std::string text;
  std::size_t wanted = std::string::npos;
  while (text.size() < wanted) {
    std::array<char, 4096> piece{};
    const ssize_t n = ::read(fd, piece.data(), piece.size());
    if (n <= 0) end("no whole answer came");
    text.append(piece.data(), static_cast<std::size_t>(n));
    const auto head = text.find("\r\n\r\n");
    if (head == std::string::npos) continue;
    std::string lower = text.substr(0, head);
    std::transform(lower.begin(), lower.end(), lower.begin(), ::tolower);
    const auto at = lower.find("content-length:");
    if (at == std::string::npos) end("the answer has no content-length");
    wanted = head + 4 + std::strtoul(lower.c_str() + at + 15, nullptr, 10);
  }
  ::close(fd);
  return wanted;
}

double cpu_s() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

std::vector<Connection> open_all(std::uint16_t port) {
  std::vector<Connection> all(kConnections);
  for (Connection& one : all) one.fd = open_connection(port);
  return all;
}

timespec to_timespec(Clock::time_point at) {
  const auto ns = at.time_since_epoch().count();
  return {ns / 1'000'000'000, ns % 1'000'000'000};
}

// As hone's loop: epoll, one timer, a write at once, one read an event.
void by_epoll(const Plan& plan, std::vector<Connection>& all) {
  const int epoll = ::epoll_create1(EPOLL_CLOEXEC);
  const int timer = ::timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
  epoll_event watch{EPOLLIN | EPOLLET, {.u64 = kConnections}};
  ::epoll_ctl(epoll, EPOLL_CTL_ADD, timer, &watch);
  for (unsigned i = 0; i < kConnections; ++i) {
    watch = {EPOLLIN, {.u64 = i}};
    ::epoll_ctl(epoll, EPOLL_CTL_ADD, all[i].fd, &watch);
  }
  Clock::time_point due = Clock::now();
  unsigned open = 0;
  for (int burst = 0; burst < plan.bursts() || open > 0;) {
    if (burst < plan.bursts() && open == 0 && Clock::now() >= due) {
      for (Connection& one : all) {
        if (::send(one.fd, plan.request.data(), plan.request.size(), MSG_NOSIGNAL) < 0) end("send");
        one.left = plan.answer_bytes;
      }
      open = kConnections;
      ++burst;
      due += plan.gap();
      const itimerspec at{{}, to_timespec(due)};
      ::timerfd_settime(timer, TFD_TIMER_ABSTIME, &at, nullptr);
    }
    std::array<epoll_event, 64> events{};
    const int count = ::epoll_wait(epoll, events.data(), 64, -1);
    for (int i = 0; i < count; ++i) {
      const auto which = events[static_cast<std::size_t>(i)].data.u64;
      if (which == kConnections) continue;
      Connection& one = all[which];
      const ssize_t n = ::read(one.fd, one.buffer.data(), one.buffer.size());
      if (n <= 0) end("read");
      one.left -= static_cast<std::size_t>(n);
      if (one.left == 0) --open;
    }
  }
  ::close(timer);
  ::close(epoll);
}

// A burst's sends, and the reads for their answers, go to the kernel in one call, and answers
// come back with the next.
void by_ring(const Plan& plan, std::vector<Connection>& all) {
  io_uring ring{};
  io_uring_params params{};
  params.flags = IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN;
  if (const int result = io_uring_queue_init_params(256, &ring, &params); result < 0) {
    errno = -result;
    end("this kernel gives no ring");
  }
  std::array<int, kConnections> files{};
  for (unsigned i = 0; i < kConnections; ++i) files[i] = all[i].fd;
  if (io_uring_register_files(&ring, files.data(), kConnections) != 0) end("register files");
  constexpr std::uint64_t kTimer = kConnections;
  constexpr std::uint64_t kSent = kConnections + 1;
  const auto receive = [&](unsigned i) {
    io_uring_sqe* sqe = io_uring_get_sqe(&ring);
    io_uring_prep_recv(sqe, static_cast<int>(i), all[i].buffer.data(), all[i].buffer.size(), 0);
    sqe->flags |= IOSQE_FIXED_FILE;
    io_uring_sqe_set_data64(sqe, i);
  };
  Clock::time_point due = Clock::now();
  bool due_now = true;
  unsigned open = 0;
  __kernel_timespec at{};
  for (int burst = 0; burst < plan.bursts() || open > 0;) {
    if (burst < plan.bursts() && open == 0 && due_now) {
      for (unsigned i = 0; i < kConnections; ++i) {
        io_uring_sqe* sqe = io_uring_get_sqe(&ring);
        io_uring_prep_send(sqe, static_cast<int>(i), plan.request.data(), plan.request.size(),
                           MSG_NOSIGNAL);
        sqe->flags |= IOSQE_FIXED_FILE | IOSQE_CQE_SKIP_SUCCESS;
        io_uring_sqe_set_data64(sqe, kSent);
        all[i].left = plan.answer_bytes;
        receive(i);
      }
      open = kConnections;
      ++burst;
      due += plan.gap();
      due_now = false;
      const timespec when = to_timespec(due);
      at = {when.tv_sec, when.tv_nsec};
      io_uring_sqe* sqe = io_uring_get_sqe(&ring);
      io_uring_prep_timeout(sqe, &at, 0, IORING_TIMEOUT_ABS);
      io_uring_sqe_set_data64(sqe, kTimer);
    }
    if (io_uring_submit_and_wait(&ring, 1) < 0) end("submit");
    io_uring_cqe* cqe = nullptr;
    unsigned head = 0;
    unsigned seen = 0;
    io_uring_for_each_cqe(&ring, head, cqe) {
      ++seen;
      const std::uint64_t which = io_uring_cqe_get_data64(cqe);
      if (which == kTimer) {
        due_now = true;
      } else if (cqe->res <= 0) {
        errno = -cqe->res;
        end("send or receive by the ring");
      } else if (which < kConnections) {
        Connection& one = all[which];
        one.left -= static_cast<std::size_t>(cqe->res);
        if (one.left == 0) {
          --open;
        } else {
          receive(static_cast<unsigned>(which));
        }
      }
    }
    io_uring_cq_advance(&ring, seen);
  }
  io_uring_queue_exit(&ring);
}

double us_per_answer(const Plan& plan, std::uint16_t port,
                     void (*way)(const Plan&, std::vector<Connection>&)) {
  std::vector<Connection> all = open_all(port);
  const double before = cpu_s();
  way(plan, all);
  const double used = cpu_s() - before;
  for (const Connection& one : all) ::close(one.fd);
  return used * 1e6 / (static_cast<double>(plan.bursts()) * kConnections);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    fmt::print(stderr, "usage: io_uring PORT [PATH [ROUNDS [SECONDS [RATE]]]]\n");
    return 2;
  }
  const auto port = static_cast<std::uint16_t>(std::atoi(argv[1]));
  Plan plan;
  plan.request =
      fmt::format("GET {} HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n", argc > 2 ? argv[2] : "/");
  const int rounds = argc > 3 ? std::atoi(argv[3]) : 6;
  if (argc > 4) plan.seconds = std::atof(argv[4]);
  if (argc > 5) plan.rate = std::atof(argv[5]);
  plan.answer_bytes = measure_answer(plan, port);

  std::vector<double> ratios;
  for (int round = 0; round < rounds; ++round) {
    double epoll = 0;
    double ring = 0;
    if (round % 2 == 0) {
      epoll = us_per_answer(plan, port, by_epoll);
      ring = us_per_answer(plan, port, by_ring);
    } else {
      ring = us_per_answer(plan, port, by_ring);
      epoll = us_per_answer(plan, port, by_epoll);
    }
    ratios.push_back(ring / epoll);
    fmt::print("epoll {:6.2f} us   io_uring {:6.2f} us   ratio {:.2f}\n", epoll, ring,
               ratios.back());
  }
  std::sort(ratios.begin(), ratios.end());
  fmt::print("io_uring / epoll: median {:.2f} ({:.2f} to {:.2f}), {} answers a round and way\n",
             ratios[ratios.size() / 2], ratios.front(), ratios.back(),
             plan.bursts() * static_cast<int>(kConnections));
}
