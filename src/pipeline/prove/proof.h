// What a proof found: every slice of every trial, and the comparisons drawn from them. This is what
// report.json holds; reports render it and compute nothing.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/finding.h"
#include "base/histogram.h"
#include "base/json.h"
#include "measure/counters/callgrind.h"
#include "measure/counters/events.h"
#include "measure/counters/usage.h"
#include "measure/machine/machine.h"
#include "measure/machine/state.h"
#include "measure/statistics/comparison.h"
#include "pipeline/plan/round_plan.h"
#include "pipeline/prove/design.h"
#include "subject/worker_spread.h"

namespace hone::pipeline {

struct SliceRecord {
  int order = 0;  // position in the round
  double cpu_s = 0;
  double whole_cpu_s = 0;  // as in Trial
  std::uint64_t ok = 0, wakes = 0, blocked = 0;
  double in_time = 0;  // share of its scheduled requests that left within it
};
HONE_JSON(SliceRecord)

struct Trial {  // what one arm did in one round
  std::string arm, shape, load;
  int round = 0;
  bool valid = true;        // false: kept for the record, not counted
  std::string why_invalid;  // the environment's fault: the round was repeated
  std::string failure;      // the arm's own fault: it is the result
  std::string log;          // of the server, kept when it failed
  bool killed = false;      // it did not end when told to, after the last slice
  double cpu_total_s = 0;
  // Time in which the server's CPUs could do nothing else during its slices, softirq work included;
  // 0 without a spinner: whole_cpu.h.
  double whole_cpu_s = 0;
  std::uint64_t wakes = 0, ok = 0, scheduled = 0, missed = 0, blocked = 0, errors = 0;
  double achieved_rate = 0;
  double idle_cpu_us_per_s = 0;  // burnt without load
  double user_share = 0;         // of cpu_total_s; printed from 5,000 ticks on only
  double beyond_clocks_s = 0;    // of cpu_total_s, by slices: measure::SliceCost
  std::uint64_t preempted = 0, minor_faults = 0, major_faults = 0;
  double run_delay_s = 0;                    // runnable without a CPU
  std::vector<measure::ThreadCost> threads;  // from its first slice to its last, heads included
  std::vector<measure::Counter> events;      // in slices of their own: arm_counters.h
  std::uint64_t body_bytes = 0, upstream_requests = 0;  // negative controls, and so is
  std::map<std::string, std::uint64_t> status;          // answers by code
  double client_cpu_s = 0;
  std::uint64_t client_wakes = 0;
  traffic::load::LatencySummary latency_us;
  double ready_s = 0;
  subject::WorkerSpread workers;  // after its last slice
  std::vector<SliceRecord> slices;
};
HONE_JSON(Trial)

struct Round {
  std::string shape, load;
  RoundKind kind = RoundKind::kSlices;
  int number = 0;   // of its kind, from 1
  int attempt = 1;  // above 1: earlier ones were spoiled
  bool valid = true;
  std::string why_invalid;
  measure::Environment environment;
  measure::MachineState machine;  // while slices were taken
  double spinner_share = 0;       // of a busy loop beside the idle spinner; 0: no spinner
  std::vector<int> order;         // indices of its arms, slice by slice
  std::vector<Trial> trials;      // one per arm, in the order of its block
  std::string started_at;         // wall time
};
HONE_JSON(Round)
// The candidates that share it, by name: "B", "B+C". Its trials are of the base, these and the
// base's copy, in this order.
std::string block_of(const Round&);

// The rate a load came to for one shape, and which bound held it.
struct ResolvedLoad {
  std::string load, shape, arrivals;
  double rate = 0;
  std::string bound;  // "server 60 % busy", "load generator 70 % busy", "fixed"
  double server_busy = 0, client_busy = 0;  // as seen at that rate
};
HONE_JSON(ResolvedLoad)

// The effect once more, by rounds of another kind: a check on the counted ones, no verdict.
struct Check {
  RoundKind kind = RoundKind::kInTurn;
  int rounds = 0;
  measure::Estimate estimate;
  double pair_sd = 0;                  // of its log effects; 0 with one round
  std::optional<int> rounds_for_1pct;  // of this kind, that would find 1 % (statistics/power.h)
  std::vector<double> round_effects;   // relative
};
HONE_JSON(Check)

// What a comparison's figures count. Whole: all that the server's CPUs could not be used for
// otherwise (whole_cpu.h); the other: what was charged to the arm's processes.
inline constexpr const char* kChargedMetric = "cpu_per_request";
inline constexpr const char* kWholeMetric = "whole_cpu_per_request";

// The effect once more, by the CPU that the comparison is not drawn from.
struct CpuView {
  double us_a = 0, us_b = 0;  // per successful response
  measure::Estimate estimate;
};
HONE_JSON(CpuView)

struct Comparison {
  std::string role = "proof";  // "proof", "aa", "control" or "held-out"
  std::string a, b, shape, load;
  std::string block;  // whose rounds it is drawn from: block.h
  bool trained = true;
  std::string metric = kChargedMetric;
  measure::Estimate estimate;
  measure::Estimate aa;
  double us_a = 0, us_b = 0;  // CPU per successful response, microseconds, mean over rounds
  double us_saved = 0, us_saved_low = 0, us_saved_high = 0;  // paired, 95 % t interval
  double wakes_a = 0, wakes_b = 0;                           // per request
  traffic::load::LatencySummary latency_a, latency_b;        // median over rounds of each figure
  int rounds = 0, won = 0, repeated = 0;
  double hodges_lehmann = 0, pair_sd = 0, p_value = 1, floor = 0, smallest_detectable = 0;
  std::optional<int> rounds_needed, rounds_for_1pct;
  measure::Verdict verdict = measure::Verdict::kUnresolved;
  std::string why;                              // the verdict's reason in words, with its figures
  std::vector<double> round_effects, round_aa;  // per counted round, relative: the dots
  std::vector<Check> checks;
  std::optional<CpuView> whole_cpu, charged_cpu;  // the one that `metric` is not
};
HONE_JSON(Comparison)

struct Total {  // of one candidate over the trained shapes of one load, weighted by share
  std::string load, b;
  measure::Estimate estimate;
  measure::Verdict verdict = measure::Verdict::kUnresolved;
  int shapes = 0;
};
HONE_JSON(Total)

// What is left of a shape's cost without wakes, of the base and one candidate, and whether the
// saving is the same for all patterns of arrival: statistics/wakes_fit.h.
struct WorkAndWakes {
  std::string shape;
  double rate = 0;
  std::vector<std::string> loads;  // all of this rate
  struct Arm {
    std::string arm;
    double work_us = 0, work_us_low = 0, work_us_high = 0;  // per successful response
    double us_per_wake = 0;
    double lack_of_fit_p = 1;
    bool holds = false;  // else the work is not to be claimed
  };
  std::vector<Arm> arms;     // the base and the candidate
  double same_saving_p = 1;  // that the microseconds saved are those of one mean
};
HONE_JSON(WorkAndWakes::Arm)
HONE_JSON(WorkAndWakes)

// What a request of one arm costs on a simulated CPU: simulate.h.
struct Simulated {
  std::string arm, shape;
  double requests = 0;  // that the figures are drawn from
  measure::SimulatedCounts per_request;
  std::string unavailable;  // why there are no figures; they are then 0
};
HONE_JSON(Simulated)

struct Proof {
  Design design;
  std::vector<ResolvedLoad> loads;
  std::vector<Round> rounds;  // spoiled ones included
  std::vector<Comparison> comparisons;
  std::vector<Total> totals;
  std::vector<WorkAndWakes> work_and_wakes;
  std::vector<Simulated> simulated;  // of all arms but the copies, where asked for
  Findings findings;
};
HONE_JSON(Proof)

}  // namespace hone::pipeline
