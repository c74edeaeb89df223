// What a proof is asked to do, free of recipes and of who asked: `run`, `prove` and `compare` all
// make one.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "pipeline/recipe/recipe.h"
#include "subject/server_spec.h"

namespace hone::pipeline {

struct Arm {
  std::string name;     // "A", "B", "A'"
  std::string variant;  // for reports: "baseline", "pgo-thinlto", or the command
  std::string binary;   // copied to a fresh inode each round; empty: command as it is
  std::string sha256;
  subject::ServerSpec server;
  std::string url;  // overrides the shape's path (compare); placeholders allowed
};
HONE_JSON(Arm)

struct Design {
  std::string subject;
  std::vector<Arm> arms;  // A, B, A' in this order
  std::vector<subject::Shape> shapes;
  std::vector<Load> loads;
  Prove settings;                           // seed already drawn
  std::vector<int> server_cpus, load_cpus;  // never empty
  bool with_origin = true;
};
HONE_JSON(Design)

}  // namespace hone::pipeline
