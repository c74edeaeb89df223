#include "traffic/load/rate_phase.h"

#include <cmath>

#include "base/text.h"

namespace hone::traffic::load {

HONE_JSON_FIELDS(RatePhase, from, to, duration_s)

Result<std::vector<RatePhase>> parse_steps(const std::string& text, double step_s) {
  std::vector<RatePhase> phases;
  for (const std::string& part : split(text, ',')) {
    const auto rate = parse_double(trim(part));
    if (!rate || !(*rate > 0)) {
      return fail(ErrorKind::kUsage, "not a rate: \"" + part + "\"",
                  "give one as 1000, or several as 1000,2000,4000 with --step S");
    }
    phases.push_back({*rate, *rate, step_s});
  }
  HONE_CHECK(check_phases(phases));
  return phases;
}

Result<std::vector<RatePhase>> parse_ramp(const std::string& text, double duration_s, int parts) {
  const std::vector<std::string> ends = split(text, ':');
  const auto from = parse_double(trim(ends.front()));
  const auto to = parse_double(trim(ends.back()));
  if (ends.size() != 2 || !from || !to || !(*from >= 0) || !(*to >= 0) || *from + *to == 0) {
    return fail(ErrorKind::kUsage, "not a ramp: \"" + text + "\"",
                "write FROM:TO in requests per second, as 100:8000");
  }
  std::vector<RatePhase> phases;
  for (int part = 0; part < parts; ++part) {
    const double slope = (*to - *from) / parts;
    phases.push_back({*from + slope * part, *from + slope * (part + 1), duration_s / parts});
  }
  HONE_CHECK(check_phases(phases));
  return phases;
}

Status check_phases(const std::vector<RatePhase>& phases) {
  if (phases.size() > kMostPhases) {
    return fail(ErrorKind::kUsage, "more than " + std::to_string(kMostPhases) + " steps of a rate",
                "use fewer and longer ones");
  }
  for (const RatePhase& phase : phases) {
    const bool sound = phase.from >= 0 && phase.to >= 0 && std::isfinite(phase.requests()) &&
                       phase.requests() > 0 && phase.duration_s > 0;
    if (!sound) return fail(ErrorKind::kUsage, "a step's rate and length must be above zero");
  }
  return {};
}

double duration_of(const std::vector<RatePhase>& phases) {
  double sum = 0;
  for (const RatePhase& phase : phases) sum += phase.duration_s;
  return sum;
}

double mean_rate_of(const std::vector<RatePhase>& phases) {
  double requests = 0;
  for (const RatePhase& phase : phases) requests += phase.requests();
  return phases.empty() ? 0 : requests / duration_of(phases);
}

}  // namespace hone::traffic::load
