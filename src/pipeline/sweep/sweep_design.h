// What a sweep is asked to do: the arms, shapes and machine of a proof's design, over many rates.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "pipeline/prove/design.h"

namespace hone::pipeline {

struct SweepSettings {
  std::vector<double> rates;  // requests/s, ascending; empty: found (rates.h)
  int points = 12;            // how many rates, where they are found; at least 4
  int repeats = 3;            // of every point, each in a process lifetime of its own
  double slice_s = 2;         // counted, of each point
  double head_s = 0.2;        // before it, under the same load and not counted
  // Ten milliseconds are what the generator calls late in its own case (load_session.h), and a
  // hundred times what a request of 100 us waits below its knee.
  double p99_limit_ms = 10;
  std::string arrivals = "poisson";
};
HONE_JSON(SweepSettings)

struct SweepDesign {
  Design design;  // one arm or several; its loads, rounds and slices are not used
  SweepSettings settings;
};
HONE_JSON(SweepDesign)

// "1000,2000,4000", or "1000:20000:8": eight rates from 1,000 to 20,000 with equal ratios, each
// rounded to three digits. Ascending, without repetition. kUsage for anything else.
Result<std::vector<double>> parse_rates(const std::string& text);

// A rate that can be typed again: the nearest one with three significant digits. rate > 0.
double typed_rate(double rate);

// Expected seconds for one shape, the search left out.
double expected_s(const SweepSettings&, std::size_t arms);
// What will be done, in a few lines, for the terminal.
std::string describe(const SweepSettings&, std::size_t arms,
                     const std::vector<std::string>& shapes);

}  // namespace hone::pipeline
