// A leg's traffic by a command of the user's: run to its end, and its answers counted by the rule
// that the recipe states.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/error.h"
#include "subject/server_spec.h"
#include "system/system.h"

namespace hone::pipeline {

struct ExternalLoad {
  std::vector<std::string> command;  // filled in
  double seconds = 8;                // the leg's length: what the command was told
  std::vector<int> cpus;             // empty: anywhere
  system::Path log;                  // its output, both streams
};

// The answers that were as expected, at least one. `progress` gets the seconds so far, once a
// second. kLegFailed, with the log, when the command fails, runs for longer than three times the
// leg and half a minute, or its output does not tell a count, tells none or tells failures.
Result<std::uint64_t> run_external_load(const ExternalLoad&, const subject::Generator&,
                                        system::System&,
                                        const std::function<void(double)>& progress);

// The same judgement of an output alone.
Result<std::uint64_t> count_answers(const subject::Generator&, const std::string& output);

}  // namespace hone::pipeline
