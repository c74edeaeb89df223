// How a slice's rate changes with time: phases one after the other, in each of them constant or
// changing evenly. Pure.
#pragma once

#include <string>
#include <vector>

#include "base/error.h"
#include "base/json.h"

namespace hone::traffic::load {

struct RatePhase {
  double from = 0, to = 0;  // requests per second at its beginning and its end; not both zero
  double duration_s = 0;
  double requests() const { return (from + to) / 2 * duration_s; }
};
HONE_JSON(RatePhase)

// Results hold every phase with its histogram; this bounds them.
inline constexpr std::size_t kMostPhases = 1000;

// "1000,2000,4000": one phase for each rate.
Result<std::vector<RatePhase>> parse_steps(const std::string& text, double step_s);
// "FROM:TO" over `duration_s`, in `parts` equal phases: each has figures of its own.
Result<std::vector<RatePhase>> parse_ramp(const std::string& text, double duration_s, int parts);
Status check_phases(const std::vector<RatePhase>& phases);

double duration_of(const std::vector<RatePhase>& phases);
double mean_rate_of(const std::vector<RatePhase>& phases);

}  // namespace hone::traffic::load
