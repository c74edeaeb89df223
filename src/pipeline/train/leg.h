// One leg: one lifetime of the instrumented subject under one shape's traffic, in a folder of its
// own, with proof that the profile is whole.
#pragma once

#include <string>
#include <vector>

#include "base/finding.h"
#include "pipeline/observer.h"
#include "pipeline/profdata/profdata.h"
#include "subject/session.h"
#include "system/system.h"

namespace hone::pipeline {

struct LegSpec {
  subject::Shape shape;
  subject::ServerSpec server;  // with the workers of the training
  std::string binary;          // instrumented
  double leg_s = 8;
  double rate = 0;       // 0: closed loop
  int connections = 16;  // in total
  int streams = 32;
  std::vector<int> server_cpus, load_cpus;  // the latter of shape.generator
  std::string flush_library;                // absolute
  system::Path folder;  // absolute, empty: profiles/, start-up/ and run/ are made in it
};

struct LegOutcome {
  std::uint64_t requests = 0;  // answered as expected
  double wall_s = 0;           // of the load
  double cpu_us_per_request = 0;
  std::vector<std::string> profiles;  // relative to the folder: "profiles/12-3456_0.profraw"
  std::vector<std::string> start_up;  // "start-up/..."
  std::uint64_t total_count = 0, start_up_count = 0;
  Findings findings;
};
HONE_JSON(LegOutcome)

Result<LegOutcome> run_leg(const LegSpec&, const Profdata&, system::System&,
                           system::net::LoopThread*, traffic::load::LoadSession*, Observer&);

}  // namespace hone::pipeline
