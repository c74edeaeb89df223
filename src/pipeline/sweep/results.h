// What a sweep found: every point, and the curves, ceilings, knees and ratios drawn from them.
// Shares and busy figures go from 0 to 1.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/finding.h"
#include "base/histogram.h"
#include "base/json.h"
#include "measure/machine/machine.h"
#include "measure/statistics/comparison.h"
#include "pipeline/sweep/sweep_design.h"
#include "subject/worker_spread.h"

namespace hone::pipeline {

// What a point is worth; judge_point.h says when each holds. The later one stands for several: what
// the generator may have caused is not laid on the arm.
enum class Standing { kHeld, kSaturated, kGeneratorLimited, kSpoiled, kFailed };
NLOHMANN_JSON_SERIALIZE_ENUM(Standing, {{Standing::kHeld, "held"},
                                        {Standing::kSaturated, "saturated"},
                                        {Standing::kGeneratorLimited, "generator-limited"},
                                        {Standing::kSpoiled, "spoiled"},
                                        {Standing::kFailed, "failed"}})
const char* name(Standing);

struct SweepPoint {  // one slice of one rate on one arm
  std::string arm;
  double rate = 0;  // asked for, requests/s
  int repeat = 1;   // the pass it belongs to
  int attempt = 1;  // above 1: earlier ones were spoiled
  int place = 0;    // in the order of its pass
  Standing standing = Standing::kHeld;
  std::string why;  // it did not hold, with its figures
  std::string log;  // of the server, kept when it failed
  measure::Environment environment;
  double spinner_share = 0;  // as in Round
  std::uint64_t scheduled = 0, missed = 0, ok = 0, errors = 0, blocked = 0;
  std::map<std::string, std::uint64_t> status;  // answers by code
  double ok_share = 0;                          // of the requests that were not missed
  double in_time = 0;                           // of these, what left within the slice
  double wall_s = 0;                            // until the last answer
  double cpu_s = 0;
  std::uint64_t wakes = 0;
  double server_busy = 0;  // of the server's CPUs, over wall_s
  double load_busy = 0;    // of the CPU of load and origin
  LatencySummary latency_us;
  subject::WorkerSpread workers;
  std::string started_at;  // wall time
};
HONE_JSON(SweepPoint)
// Share of a point's requests that must be answered as expected, and leave, in time.
inline constexpr double kCarriedShare = 0.999;
// Above this share of its CPU the generator (with the origin on its thread) may be what is late.
inline constexpr double kGeneratorBound = 0.8;
double cpu_us(const SweepPoint&);  // CPU per successful response; 0 without any
// Its figures are the arm's own at that rate: not spoiled, failed or the generator's, and all but
// one in a thousand requests were carried.
bool carried(const SweepPoint&);

struct Spread {  // over repeats
  double median = 0, low = 0, high = 0;
};
HONE_JSON(Spread)

struct CurvePoint {  // one arm at one rate
  double rate = 0;
  int repeats = 0, held = 0, spoiled = 0;  // counted repeats, those that held, attempts left out
  Standing standing = Standing::kSpoiled;  // of the counted repeats; without any, this
  std::string why;                         // of the first repeat of that standing
  Spread cpu_us, p50_us, p99_us, p999_us;
  double ok_share = 0, in_time = 0;                              // the least
  double server_busy = 0, load_busy = 0, wakes_per_request = 0;  // medians
};
HONE_JSON(CurvePoint)

// The highest rate up to which every repeat of every rate held.
struct Ceiling {
  double rate = 0;       // 0: the lowest rate was not held
  double next_rate = 0;  // the lowest rate that was not; 0: all were held
  // What ended it: kHeld: nothing, all rates were held. Only after kSaturated and kFailed is `rate`
  // the arm's own ceiling; after the others it is a lower bound.
  Standing ended_by = Standing::kHeld;
  std::string why;
  bool is_own() const { return ended_by == Standing::kSaturated || ended_by == Standing::kFailed; }
};
HONE_JSON(Ceiling)

// Where p99 leaves the floor (knee.h). rate 0: the curve has no knee.
struct Knee {
  double rate = 0, low = 0, high = 0;  // of the medians; the ends over repeats
  double p99_us = 0;
};
HONE_JSON(Knee)

struct ArmCurve {
  std::string arm;
  std::vector<CurvePoint> points;  // by rate
  Ceiling ceiling;
  Knee knee;
};
HONE_JSON(ArmCurve)

// Rate of the second arm over that of the first at equal utilisation (ratio.h).
struct RateRatio {
  double busy = 0;
  double rate_a = 0, rate_b = 0;  // geometric means over repeats
  measure::Estimate ratio;        // relative: +0.27 means 27 % more; 95 % t interval over repeats
  int repeats = 0;                // with one there is no interval
};
HONE_JSON(RateRatio)
// The one to quote: nearest to 60 % busy, where a proof's `busy` load is too. Null where there is
// none.
const RateRatio* quoted_ratio(const std::vector<RateRatio>& ratios);

struct FoundCeiling {  // by the search, before the points
  double rate = 0;     // the highest that was seen to hold
  bool generator_limited = false;
  std::string why;  // the next one did not
};
HONE_JSON(FoundCeiling)

struct ShapeSweep {
  std::string shape;
  std::vector<double> rates;
  std::vector<FoundCeiling> found;  // per arm; empty where rates were given
  std::vector<SweepPoint> points;
  std::vector<ArmCurve> curves;   // per arm
  std::vector<RateRatio> ratios;  // with two arms; by `busy`
};
HONE_JSON(ShapeSweep)

struct Sweep {
  SweepDesign design;
  std::vector<ShapeSweep> shapes;
  Findings findings;
};
HONE_JSON(Sweep)
struct SpoiledCount {
  std::size_t spoiled = 0, asked = 0;  // points, not attempts
};
SpoiledCount count_spoiled(const Sweep&);

}  // namespace hone::pipeline
