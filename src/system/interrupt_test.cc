// Signals change the whole process, so every case runs in a forked child and tells by its end.
#include "system/interrupt.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "system/real.h"

namespace hone::system {
namespace {

template <typename Work>
int status_of_child(Work work) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(work());
  int status = 0;
  ::waitpid(child, &status, 0);
  return status;
}

bool readable(int fd) {
  pollfd wait{fd, POLLIN, 0};
  return ::poll(&wait, 1, 0) == 1;
}

TEST(Interrupt, TheFirstOneIsAFlag) {
  EXPECT_FALSE(interrupted());
  EXPECT_TRUE(check_interrupted());
  for (const int number : {SIGINT, SIGTERM}) {
    const int status = status_of_child([number] {
      catch_interrupts();
      if (interrupted() || readable(interrupt_fd())) return 1;
      ::raise(number);
      if (!interrupted() || !readable(interrupt_fd())) return 2;
      const Status checked = check_interrupted();
      return !checked && checked.error().kind == ErrorKind::kInterrupted ? 0 : 3;
    });
    EXPECT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 0);
  }
}

TEST(Interrupt, TheSecondOneEndsTheProcessByThatSignal) {
  const int status = status_of_child([] {
    catch_interrupts();
    ::raise(SIGTERM);
    ::raise(SIGINT);
    return 1;
  });
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(WTERMSIG(status), SIGINT);
}

TEST(Interrupt, ASleepEndsEarly) {
  const int status = status_of_child([] {
    catch_interrupts();
    // Reaches the process while it sleeps, or just before: both must end the sleep.
    const pid_t self = ::getpid();
    if (::fork() == 0) {
      ::kill(self, SIGINT);
      ::_exit(0);
    }
    const auto clock = real_clock();
    const Instant start = clock->now();
    clock->sleep(seconds(30));
    return clock->now() - start < seconds(10) ? 0 : 1;
  });
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST(Interrupt, ARunningCommandIsEndedAndReported) {
  const int status = status_of_child([] {
    catch_interrupts();
    Command command;
    command.argv = {"sh", "-c", "kill -INT $HONE; exec sleep 600"};
    command.env["HONE"] = std::to_string(::getpid());
    const auto processes = real_processes();
    const auto exit = processes->run(command);
    if (exit || exit.error().kind != ErrorKind::kInterrupted) return 1;
    // From now on nothing new is started.
    command.argv = {"true"};
    const auto next = processes->run(command);
    if (next || next.error().kind != ErrorKind::kInterrupted) return 2;
    const auto members = real_process_table()->tree(::getpid());
    return members && members->empty() ? 0 : 3;
  });
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

}  // namespace
}  // namespace hone::system
