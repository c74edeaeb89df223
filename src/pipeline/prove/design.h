// What a proof is asked to do, free of recipes and of who asked: `run`, `prove` and `compare` all
// make one. Which arms are alive together is dealt from it: block.h.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/json.h"
#include "pipeline/recipe/recipe.h"
#include "pipeline/store/store.h"
#include "subject/server_spec.h"
#include "system/files.h"

namespace hone::pipeline {

struct Arm {
  std::string name;     // "A", "B", "A'"
  std::string variant;  // for reports: "baseline", "pgo-thinlto", or the command
  std::string label;    // what readers are to call it; empty: by its variant
  std::string binary;   // copied to a fresh inode each round; empty: command as it is
  std::string sha256;
  subject::ServerSpec server;
  std::string url;  // overrides the shape's path (compare); placeholders allowed
  std::map<std::string, std::string> files;  // SHA-256 of the files that its command names
};
HONE_JSON(Arm)

struct Design {
  std::string subject;
  Arm base;                     // "A"
  std::vector<Arm> candidates;  // each compared with the base; a sweep may have none
  std::vector<subject::Shape> shapes;
  std::vector<Load> loads;
  Prove settings;                           // seed already drawn
  std::vector<int> server_cpus, load_cpus;  // never empty
  bool with_origin = true;
  std::string machine;  // CPU model and kernel: rounds of another machine do not stand beside these
};
HONE_JSON(Design)

// "B" to "Z", then "B2" to "Z2" and so on.
std::string candidate_name(std::size_t index);
std::string copy_name(const Arm& base);  // "A'"
// The base and the candidates, in this order.
std::vector<Arm> arms_of(const Design&);

// The SHA-256 of each file that a command names after its first word: what a server reads is part
// of what is compared.
Result<std::map<std::string, std::string>> hash_named_files(const std::vector<std::string>& command,
                                                            const system::Files&);
// An arm has more workers than CPUs to run them on.
bool crowded(const Design&);
// What is compared, asked for what, and where: measurements that differ in it do not stand beside
// each other.
void add_to(Fingerprint*, const Design&, const std::vector<Arm>& arms, const subject::Shape&);

// "AMD EPYC ..., Linux 6.18": as describe_machine tells them.
std::string name_machine(const Json& machine);

}  // namespace hone::pipeline
