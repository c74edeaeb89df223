// Arms that are commands of the user's, without a recipe: what `hone compare` and `hone sweep` ask
// about them, and the design that comes of it.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "pipeline/prove/design.h"
#include "pipeline/report/report.h"
#include "system/system.h"

namespace hone::cli {

struct CommandArms {
  std::string a, ready, url, protocol = "h1", stop_signal = "TERM";
  std::vector<std::string> b;         // the candidates' commands
  std::vector<std::string> b_urls;    // none: `url`; one: of all candidates; or one for each
  std::vector<std::string> b_labels;  // none, or one for each
  std::string cpus_server, cpus_load, cpus_origin;
  std::string load_via, origin_via;  // command lines
  subject::Hosts hosts;              // but for their `via`
  double ready_timeout_s = 30;
  int connections = 16, workers = 1, streams = 32;
  std::uint64_t seed = 0;
  bool origin = false, no_spinner = false;
};

// The options, in the order in which help lists them.
std::vector<CLI::Option*> add_command_arms(CLI::App* verb, CommandArms* arms);
extern const char* const kPlaceholderHelp;

// A, and the candidates whose commands are given; the one shape, settings and CPUs. Loads are the
// caller's. The seed is drawn where none is given.
Result<pipeline::Design> make_command_design(const CommandArms&, system::System&);

// Subject, machine and findings of a run over such arms, and the machine's name into the design.
pipeline::RunValues begin_values(const std::string& command, pipeline::Design* design,
                                 system::System&);

}  // namespace hone::cli
