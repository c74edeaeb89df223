#include "pipeline/sweep/results.h"

namespace hone::pipeline {

HONE_JSON_FIELDS(SweepSettings, rates, points, repeats, slice_s, head_s, p99_limit_ms, arrivals)
HONE_JSON_FIELDS(SweepDesign, design, settings)
HONE_JSON_FIELDS(SweepPoint, arm, rate, repeat, attempt, place, standing, why, log, environment,
                 spinner_share, scheduled, missed, ok, errors, blocked, status, ok_share, in_time,
                 wall_s, cpu_s, wakes, server_busy, load_busy, latency_us, workers, started_at)
HONE_JSON_FIELDS(Spread, median, low, high)
HONE_JSON_FIELDS(CurvePoint, rate, repeats, held, spoiled, standing, why, cpu_us, p50_us, p99_us,
                 p999_us, ok_share, in_time, server_busy, load_busy, wakes_per_request)
HONE_JSON_FIELDS(Ceiling, rate, next_rate, ended_by, why)
HONE_JSON_FIELDS(Knee, rate, low, high, p99_us)
HONE_JSON_FIELDS(ArmCurve, arm, points, ceiling, knee)
HONE_JSON_FIELDS(RateRatio, busy, rate_a, rate_b, ratio, repeats)
HONE_JSON_FIELDS(FoundCeiling, rate, generator_limited, why)
HONE_JSON_FIELDS(ShapeSweep, shape, rates, found, points, curves, ratios)
HONE_JSON_FIELDS(Sweep, design, shapes, findings)

}  // namespace hone::pipeline
