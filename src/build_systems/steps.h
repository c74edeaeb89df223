// The commands of one build, one after the other: each with a header line in the log, its costs
// added up, and a failure turned into an error that carries the first error line of its output.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/error.h"
#include "build_systems/driver.h"
#include "system/system.h"

namespace hone::build_systems {

using Environment = std::map<std::string, std::string>;

class Steps {
 public:
  Steps(const Job& job, system::System& os) : job_(&job), os_(&os) {}

  // Runs argv in `cwd` with `env`; kBuildFailed when it fails. `what` names it in the error.
  Status run(const std::string& what, const std::vector<std::string>& argv, const system::Path& cwd,
             const Environment& env);
  // The same, where failing is no reason to stop.
  Status try_to_run(const std::string& what, const std::vector<std::string>& argv,
                    const system::Path& cwd, const Environment& env);

  // A step that need not be repeated when a cut build goes on in its tree: done() is true when
  // mark() was called there with the same words.
  bool done(const std::string& step, const std::string& words) const;
  Status mark(const std::string& step, const std::string& words);

  // The costs so far, and the binary, which must be there by now.
  Result<Built> finish(const system::Path& binary);

 private:
  Result<system::Exit> execute(const std::vector<std::string>& argv, const system::Path& cwd,
                               const Environment& env);

  const Job* job_;
  system::System* os_;
  Built costs_;
  std::size_t log_begin_ = 0;  // where the output of the last command begins
};

}  // namespace hone::build_systems
