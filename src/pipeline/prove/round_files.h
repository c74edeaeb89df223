// Finished rounds of one shape at one load on disk: one JSON file each, written before the next
// round begins, so that a proof cut by kill -9 repeats at most the round that was cut.
#pragma once

#include <optional>
#include <vector>

#include "pipeline/prove/proof.h"
#include "system/files.h"

namespace hone::pipeline {

class RoundFiles {
 public:
  RoundFiles(system::Path folder, system::Files* files);

  // Every round that is there, spoiled attempts included, in order.
  Result<std::vector<Round>> read() const;
  Status write(const Round&);
  Status set_aside(const Round&);  // kept for whoever looks, read no more
  std::optional<ResolvedLoad> read_rate() const;
  Status write_rate(const ResolvedLoad&);
  std::optional<Simulated> read_simulated(const std::string& arm) const;
  Status write_simulated(const Simulated&);

 private:
  system::Path folder_;
  system::Files* files_;
};

}  // namespace hone::pipeline
