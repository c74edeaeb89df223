#include "subject/signals.h"

#include <csignal>

namespace hone::subject {
namespace {

struct Signal {
  const char* name;
  int number;
};
constexpr Signal kSignals[] = {{"TERM", SIGTERM},   {"INT", SIGINT},   {"QUIT", SIGQUIT},
                               {"HUP", SIGHUP},     {"USR1", SIGUSR1}, {"USR2", SIGUSR2},
                               {"WINCH", SIGWINCH}, {"KILL", SIGKILL}};

}  // namespace

int signal_number(const std::string& name) {
  const std::string bare = name.starts_with("SIG") ? name.substr(3) : name;
  for (const Signal& signal : kSignals) {
    if (bare == signal.name) return signal.number;
  }
  return 0;
}

std::vector<std::string> known_signals() {
  std::vector<std::string> names;
  for (const Signal& signal : kSignals) names.emplace_back(signal.name);
  return names;
}

}  // namespace hone::subject
