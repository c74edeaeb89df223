// Where points come from: servers under load (live_points.h), or a test's model of them.
#pragma once

#include <string>

#include "base/error.h"
#include "pipeline/sweep/results.h"

namespace hone::pipeline {

struct PointRequest {
  std::size_t arm = 0;
  double rate = 0;
  double slice_s = 0;
  std::uint64_t seed = 0;  // of the arrivals
  std::string name;        // in file names of kept logs: "h1-A-2000-1"
};

class PointSource {
 public:
  virtual ~PointSource() = default;
  // A fresh process lifetime of every arm, warmed up at `rate`. Ends the one before.
  virtual Status begin_pass(const subject::Shape& shape, double rate) = 0;
  // One point, judged. An arm's own failure is in the point, and the arm is up again for the next
  // one; only what is nobody's result is an error.
  virtual Result<SweepPoint> measure(const PointRequest& request) = 0;
  virtual Status end_pass() = 0;
};

}  // namespace hone::pipeline
