#include <csignal>

#include "cli/cli.h"
#include "system/idle_spinner.h"
#include "system/interrupt.h"
#include "system/supervisor.h"

int main(int argc, char** argv) {
  if (const int status = hone::system::supervise_if_asked(argc, argv); status >= 0) return status;
  if (const int status = hone::system::busy_loop_if_asked(argc, argv); status >= 0) return status;
  std::signal(SIGPIPE, SIG_IGN);  // a peer that went away is an error to be told, not an end
  hone::system::catch_interrupts();
  auto system = hone::system::real_system();
  return hone::cli::run_cli(argc, argv, system);
}
