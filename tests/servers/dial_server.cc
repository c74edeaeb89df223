// A server whose work per request is dialled: `dial_server PORT TURNS [MODE]` turns a loop TURNS
// times for each request before it answers. A proof must find a known difference between two
// settings of the dial, and must not find one between equal settings. MODE: "errors" answers 500;
// "restart" ends after 500 requests; "never-ready" answers nothing; "dies" ends at once;
// "dies-under-load" ends after 200 requests; "stalls" does nothing for a tenth of a second after
// every 300; "shares-port" lets others listen there too; "one-of-four" has three workers more,
// which never accept; "daemonises" leaves the turning to a child of a child that has ended.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

volatile std::uint64_t sink;

void turn(std::uint64_t turns) {
  std::uint64_t x = 88172645463325252ULL;
  for (std::uint64_t i = 0; i < turns; ++i) {
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
  }
  sink = x;
}

void turn_in_daemon(std::uint64_t turns) {
  const pid_t between = fork();
  if (between == 0) {
    if (fork() == 0) turn(turns);
    _exit(0);
  }
  waitpid(between, nullptr, 0);
}

int listen_on(int port, bool shared) {
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  const int on = 1;
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (shared) setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &on, sizeof on);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0 ||
      listen(fd, 128) != 0) {
    std::perror("dial_server: bind");
    std::exit(1);
  }
  return fd;
}

std::string answer_of(const std::string& mode) {
  const std::string body(1024, 'd');
  const char* status = mode == "errors" ? "500 Internal Server Error" : "200 OK";
  return std::string("HTTP/1.1 ") + status + "\r\ncontent-length: " + std::to_string(body.size()) +
         "\r\n\r\n" + body;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fputs("usage: dial_server PORT TURNS [MODE]\n", stderr);
    return 2;
  }
  const std::string mode = argc > 3 ? argv[3] : "";
  if (mode == "dies") {
    std::fputs("dial_server: told to die\n", stderr);
    return 3;
  }
  const auto turns = std::strtoull(argv[2], nullptr, 10);
  const std::string answer = answer_of(mode);
  const std::uint64_t last = mode == "restart" ? 500 : mode == "dies-under-load" ? 200 : 0;
  const bool stalls = mode == "stalls";
  std::vector<pollfd> fds{{listen_on(std::atoi(argv[1]), mode == "shares-port"), POLLIN, 0}};
  for (int idle = 0; mode == "one-of-four" && idle < 3; ++idle) {
    if (fork() == 0) {
      for (;;) pause();
    }
  }
  std::vector<std::string> input(1);
  std::uint64_t served = 0;
  for (;;) {
    if (poll(fds.data(), fds.size(), -1) < 0) continue;
    if ((fds[0].revents & POLLIN) != 0) {
      const int fd = accept(fds[0].fd, nullptr, nullptr);
      const int on = 1;
      setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
      fds.push_back({fd, POLLIN, 0});
      input.emplace_back();
    }
    for (std::size_t i = 1; i < fds.size(); ++i) {
      if (fds[i].revents == 0) continue;
      char buffer[16384];
      const auto n = read(fds[i].fd, buffer, sizeof buffer);
      if (n <= 0) {
        close(fds[i].fd);
        fds.erase(fds.begin() + static_cast<std::ptrdiff_t>(i));
        input.erase(input.begin() + static_cast<std::ptrdiff_t>(i));
        --i;
        continue;
      }
      input[i].append(buffer, static_cast<std::size_t>(n));
      for (auto end = input[i].find("\r\n\r\n"); end != std::string::npos;
           end = input[i].find("\r\n\r\n")) {
        input[i].erase(0, end + 4);
        if (mode == "never-ready") continue;
        if (mode == "daemonises") {
          turn_in_daemon(turns);
        } else {
          turn(turns);
        }
        if (write(fds[i].fd, answer.data(), answer.size()) < 0) break;
        if (stalls && ++served % 300 == 0) usleep(100'000);
        if (last != 0 && ++served >= last) return 4;
      }
    }
  }
}
