// The recipe: one TOML file that names everything once. Errors carry file, line, column and, for an
// unknown key, the nearest known one.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/json.h"
#include "subject/hosts.h"
#include "subject/server_spec.h"
#include "system/system.h"

namespace hone::pipeline {

struct Source {      // exactly one of path, apt
  std::string path;  // absolute after loading
  std::string apt;   // Debian source package
};
HONE_JSON(Source)

struct Build {
  std::string system = "cmake";  // build_systems::known_systems()
  std::string target;
  std::string binary;  // of the result, relative to the build tree
  std::vector<std::string> configure;
  std::vector<std::string> commands;
  std::map<std::string, std::string> env;
  int jobs = 0;                       // 0: as many as CPUs
  std::string toolchain;              // "22", a folder, or "": newest complete set
  std::vector<std::string> packages;  // Debian packages the build needs, for error messages
};
HONE_JSON(Build)

struct Train {
  double leg_s = 8;  // length of a leg, closed loop; --smoke 3, --full 60
  double rate = 0;   // 0: closed loop, as fast as the instrumented subject answers
  int workers = 0;   // 0: as server.workers
  int starts_per_requests = 1'000'000;  // start-up counts as one start per that many requests
};
HONE_JSON(Train)

struct Load {  // [[load]]: exactly one of rate, busy
  std::string name;
  double rate = 0;  // requests per second in total
  double busy = 0;  // share of the server's CPUs that the baseline is to use (0.6)
  std::string arrivals = "poisson";
};
HONE_JSON(Load)

struct Cpus {                     // empty lists: hone chooses
  std::vector<int> server, load;  // the origin shares the load's thread
};
HONE_JSON(Cpus)

// A slice order needs two slices of an arm; beyond 32 a round outlives the machine's calm.
inline constexpr int kLeastSlices = 2;
inline constexpr int kMostSlices = 32;

struct Prove {
  int rounds = 8;  // at least 6 for a verdict; with `precision`, those of the first stage
  // Half the width of the 95 % interval that is wanted, relative; 0: `rounds` and no more. The
  // number is fixed once, after the first stage (statistics/precision.h).
  double precision = 0;
  int rounds_in_turn = 2;          // checks: they count for no verdict
  int rounds_without_spinner = 1;  // likewise
  // False where two of the subject cannot live at once: then all rounds are in turn.
  bool side_by_side = true;
  int slices = 8;  // per arm and round
  double slice_s = 0.5;
  double head_s = 0.1;  // of each slice, under load and not counted
  double warm_up_limit_s = 30;
  int connections = 16;  // per worker
  int streams = 32;
  double smallest_effect = 0.01;
  std::uint64_t seed = 0;  // 0: drawn, and printed
  bool spinner = true;
  bool callgrind = false;  // at the end: what requests cost on a simulated CPU
  Cpus cpus;
  subject::Hosts hosts;
};
HONE_JSON(Prove)

struct Recipe {
  std::string file;     // absolute
  std::string subject;  // [subject] name, else the recipe's folder
  std::string summary;
  Source source;
  Build build;
  subject::ServerSpec server;
  std::vector<subject::Shape> shapes;
  Train train;
  std::vector<Load> loads;  // at least one after loading: busy 0.6, poisson
  Prove prove;
};
HONE_JSON(Recipe)

// `path`: a file, or a folder with recipe.toml in it. `sets`: "prove.rounds=6", applied before
// checking; the value is TOML, or a bare word taken as text.
Result<Recipe> load_recipe(const system::Path& path, const std::vector<std::string>& sets,
                           system::System&);
// The same from text, for tests and fuzzing; file templates are read relative to `file`'s folder.
Result<Recipe> parse_recipe(const std::string& text, const system::Path& file,
                            const std::vector<std::string>& sets, system::System&);

}  // namespace hone::pipeline
