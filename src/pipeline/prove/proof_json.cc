#include "pipeline/prove/proof.h"

namespace hone::pipeline {

HONE_JSON_FIELDS(SliceRecord, order, cpu_s, whole_cpu_s, ok, wakes, blocked, in_time)
HONE_JSON_FIELDS(Trial, arm, shape, load, round, valid, why_invalid, failure, log, killed,
                 cpu_total_s, whole_cpu_s, wakes, ok, scheduled, missed, blocked, errors,
                 achieved_rate, idle_cpu_us_per_s, user_share, beyond_clocks_s, preempted,
                 minor_faults, major_faults, run_delay_s, threads, events, body_bytes,
                 upstream_requests, status, client_cpu_s, client_wakes, latency_us, ready_s,
                 workers, slices)
HONE_JSON_FIELDS(Round, shape, load, kind, number, attempt, valid, why_invalid, environment,
                 machine, spinner_share, order, trials, started_at)
HONE_JSON_FIELDS(ResolvedLoad, load, shape, arrivals, rate, bound, server_busy, client_busy)
HONE_JSON_FIELDS(Check, kind, rounds, estimate, pair_sd, rounds_for_1pct, round_effects)
HONE_JSON_FIELDS(CpuView, us_a, us_b, estimate)
HONE_JSON_FIELDS(Comparison, role, a, b, shape, load, block, trained, metric, estimate, aa, us_a,
                 us_b, us_saved, us_saved_low, us_saved_high, wakes_a, wakes_b, latency_a,
                 latency_b, rounds, won, repeated, hodges_lehmann, pair_sd, p_value, floor,
                 smallest_detectable, rounds_needed, rounds_for_1pct, verdict, why, round_effects,
                 round_aa, checks, whole_cpu, charged_cpu)
HONE_JSON_FIELDS(Total, load, b, estimate, verdict, shapes)
HONE_JSON_FIELDS(WorkAndWakes::Arm, arm, work_us, work_us_low, work_us_high, us_per_wake,
                 lack_of_fit_p, holds)
HONE_JSON_FIELDS(WorkAndWakes, shape, rate, loads, arms, same_saving_p)
HONE_JSON_FIELDS(Simulated, arm, shape, requests, per_request, unavailable)
HONE_JSON_FIELDS(Proof, design, loads, rounds, comparisons, totals, work_and_wakes, simulated,
                 findings)

}  // namespace hone::pipeline
