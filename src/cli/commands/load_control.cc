#include "cli/commands/load_control.h"

#include <cstdlib>
#include <memory>

#include "cli/console.h"
#include "system/line_channel.h"
#include "traffic/load/control_messages.h"
#include "traffic/load/control_server.h"

namespace hone::cli {

int run_load_control(const LoadArguments& arguments) {
  constexpr int kStdin = 0;
  constexpr int kStdout = 1;
  const auto threads = start_threads(arguments);
  if (!threads) return report_error(threads.error());
  const auto session = traffic::load::make_in_process(loops_of(*threads));
  system::LineChannel channel(kStdin, kStdout, traffic::load::kLongestControlLine);
  // Whoever asked is gone: nothing that is still to be sent is of use, and what it would be sent to
  // may be gone too. Connections are the kernel's to close.
  const auto ended = [] { std::_Exit(0); };
  const Status served = serve_control(session.get(), &channel, ended);
  return served ? 0 : report_error(served.error());
}

}  // namespace hone::cli
