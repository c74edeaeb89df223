// Every test program's main: a test that starts children needs the supervisor that hone's own
// binary carries, and finds it in itself.
#include <gmock/gmock.h>

#include <csignal>

#include "system/idle_spinner.h"
#include "system/supervisor.h"

int main(int argc, char** argv) {
  if (const int status = hone::system::supervise_if_asked(argc, argv); status >= 0) return status;
  if (const int status = hone::system::busy_loop_if_asked(argc, argv); status >= 0) return status;
  std::signal(SIGPIPE, SIG_IGN);  // as in hone: a peer that went away is an error, not an end
  testing::InitGoogleMock(&argc, argv);
  return RUN_ALL_TESTS();
}
