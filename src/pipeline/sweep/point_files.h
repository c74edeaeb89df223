// Finished points of one shape on disk: one JSON file each, written before the next begins, so that
// a sweep cut by kill -9 measures at most the point that was cut again.
#pragma once

#include <optional>
#include <vector>

#include "pipeline/sweep/results.h"
#include "system/files.h"

namespace hone::pipeline {

// The rates that a search came to, and what it was asked.
struct FoundRates {
  int points = 0;
  double p99_limit_ms = 0;
  std::vector<FoundCeiling> found;
  std::vector<double> rates;
};
HONE_JSON(FoundRates)

class PointFiles {
 public:
  PointFiles(system::Path folder, system::Files* files);

  // Every point that is there, spoiled ones included, by pass and place.
  Result<std::vector<SweepPoint>> read() const;
  Status write(const SweepPoint&);
  Status set_aside(const SweepPoint&);  // kept for whoever looks, read no more
  std::optional<FoundRates> read_rates() const;
  Status write_rates(const FoundRates&);

 private:
  system::Path folder_;
  system::Files* files_;
};

}  // namespace hone::pipeline
