// Talks to the profile library inside the subject's processes: signals one way, files in its folder
// the other (flush/flush.h has the contract).
#pragma once

#include <sys/types.h>

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "base/error.h"
#include "system/system.h"

namespace hone::pipeline {

class FlushControl {
 public:
  using Processes = std::function<std::vector<pid_t>()>;               // the subject's own, now
  using Send = std::function<Status(const std::vector<pid_t>&, int)>;  // a signal to each

  // `folder`: HONE_FLUSH_DIR of the subject. The pointers outlive this.
  FlushControl(system::Path folder, const system::Files* files, system::Clock* clock,
               Processes processes, Send send);

  // Who answers to signals; the others either said why they do not (a helper program without
  // profile) or never loaded the library. Waits for both, shortly for the silent ones.
  struct Served {
    std::vector<pid_t> ready, silent;
  };
  Result<Served> wait_until_served();

  // Keeps the start-up profile and sets the counters to zero; writes the profile. Each waits for
  // every acknowledgement, at most ten seconds. A process that ends meanwhile is not waited for: it
  // has written by itself, or its missing profile tells. kLegFailed names process and reason.
  Status reset(const std::vector<pid_t>&);
  Status write(const std::vector<pid_t>&);

  std::set<std::string> profiles() const;     // names of the *.profraw files there are now
  std::vector<pid_t> ready() const;           // processes, ended ones included, that were ready
  std::vector<std::string> refusals() const;  // lines of the *.refused files

 private:
  Status request(const std::vector<pid_t>&, int number, const std::string& suffix,
                 const std::string& what);
  std::vector<std::string> names() const;

  system::Path folder_;
  const system::Files* files_;
  system::Clock* clock_;
  Processes processes_;
  Send send_;
};

}  // namespace hone::pipeline
