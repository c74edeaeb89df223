// Stage 3: legs. One instrumented process lifetime per leg and directory; a leg proves its work or
// fails and says why.
#pragma once

#include <string>
#include <vector>

#include "pipeline/build/build.h"
#include "pipeline/observer.h"
#include "pipeline/plan/plan.h"
#include "pipeline/recipe/recipe.h"
#include "pipeline/store/store.h"
#include "system/system.h"

namespace hone::pipeline {

// The leg of starting up: what every leg's process counted before it was ready, all starts
// together, since shapes may start the subject with different configurations.
inline constexpr char kStartUpLeg[] = "start-up";

struct Leg {
  std::string name;            // the shape's, or "start-up"
  std::string folder;          // in the store; start-up: of the first leg
  std::uint64_t requests = 0;  // answered as expected; for start-up: starts
  double share = 0;            // of the trained traffic, 1 in sum; for start-up: starts per request
  std::vector<std::string> profiles;  // absolute
  std::uint64_t total_count = 0;      // of all counters, unweighted
  double wall_s = 0;
  double cpu_us_per_request = 0;  // of the instrumented subject: shows what instrumenting costs
  bool reused = false;
};
HONE_JSON(Leg)

struct TrainingPlace {  // where things run: from pipeline.cc
  std::vector<int> server_cpus, load_cpus;
  std::string flush_library;  // path of libhone_flush.so
};

// One leg per shape of the plan, in its order, and the start-up leg last. Legs whose fingerprint is
// in the store are taken from there. kLegFailed names the leg.
Result<std::vector<Leg>> train(const Recipe&, const Plan&, const BuiltBinary& instrumented,
                               const TrainingPlace&, const toolchain::Toolchain&, Store&,
                               system::System&, Observer&);

}  // namespace hone::pipeline
