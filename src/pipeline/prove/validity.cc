#include "pipeline/prove/validity.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/text.h"
#include "base/units.h"
#include "measure/statistics/median.h"
#include "pipeline/prove/round_costs.h"

namespace hone::pipeline {
namespace {

// An arm that answers fewer than 99.99 % as expected is not doing the same work as one that does.
constexpr double kMostErrors = 0.0001;
// Body bytes and upstream requests are exact counts of the same requests: a difference of a tenth
// of a per cent is different work, not noise.
constexpr double kControlTolerance = 0.001;

// An arm that falls this far behind the rate is past its knee: what it saves then is queueing.
constexpr double kShortOfTarget = 0.005;
// And two arms this far apart did not do the same work.
constexpr double kRateApart = 0.001;

// A worker's share of the connections may be this far off the fair one: what a busier worker saves
// by batching, or loses by queueing, is not its binary's.
constexpr double kMostOffFair = 0.1;

double per_answer(std::uint64_t n, std::uint64_t ok) {
  return ok > 0 ? static_cast<double>(n) / static_cast<double>(ok) : 0;
}

std::string wrong_answers(const Trial& trial, std::uint64_t due, double target_rate) {
  std::vector<std::string> codes;
  for (const auto& [code, count] : trial.status) {
    if (!code.starts_with('2') && !code.starts_with('3'))
      codes.push_back(fmt::format("status {}: {}", code, count));
  }
  return fmt::format("{} of {} requests were not answered as expected at {:.0f}/s{}", trial.errors,
                     due, target_rate, codes.empty() ? "" : " (" + join(codes, ", ") + ")");
}

// The median over slices: one stall of the machine at a slice's end is not the arm's rate.
double held_share(const Trial& trial) {
  std::vector<double> shares;
  for (const SliceRecord& slice : trial.slices) shares.push_back(slice.in_time);
  return measure::median(std::move(shares));
}

// A rate that an arm's copy holds, and the arm does not, or the other way round, is not the
// binary's: both run the same one.
std::string copies_apart(const Round& round) {
  for (const Trial& trial : round.trials) {
    const auto copy =
        std::find_if(round.trials.begin(), round.trials.end(),
                     [&trial](const Trial& other) { return other.arm == trial.arm + "'"; });
    if (copy == round.trials.end()) continue;
    const double held = held_share(trial);
    const double held_by_copy = held_share(*copy);
    if (std::abs(held - held_by_copy) > kRateApart) {
      return fmt::format("arm {} held {} of the rate and its own copy {}", trial.arm,
                         format_percent(held, 2), format_percent(held_by_copy, 2));
    }
  }
  return "";
}

// Only of a round that the environment left alone: what stalls the machine stalls the arm.
bool judge_rates(Round* round, double target_rate) {
  double best = 0;
  for (const Trial& trial : round->trials) best = std::max(best, held_share(trial));
  bool failed = false;
  for (Trial& trial : round->trials) {
    const double held = held_share(trial);
    if (held < 1 - kShortOfTarget) {
      trial.failure = fmt::format("it held {} of {:.0f} requests/s: it is past its knee",
                                  format_percent(held, 2), target_rate);
    } else if (held < (1 - kRateApart) * best) {
      trial.failure = fmt::format("it held {} of {:.0f} requests/s where another arm held {}",
                                  format_percent(held, 2), target_rate, format_percent(best, 2));
    }
    failed = failed || !trial.failure.empty();
  }
  return failed;
}

// "" unless one worker of an arm has more to do than another by more than the count alone explains.
std::string uneven_workers(const Round& round) {
  for (const Trial& trial : round.trials) {
    if (is_even(trial.workers) || off_fair(trial.workers) <= kMostOffFair) continue;
    return "arm " + trial.arm + "'s connections sit " + to_string(trial.workers) +
           " on its workers, however often they were dialled";
  }
  return "";
}

struct AnswerSum {
  std::uint64_t ok = 0, body = 0, upstream = 0;
  std::map<std::string, std::uint64_t> status;

  void add(const Trial& trial) {
    ok += trial.ok;
    body += trial.body_bytes;
    upstream += trial.upstream_requests;
    for (const auto& [code, count] : trial.status) status[code] += count;
  }
};

}  // namespace

void judge_round(Round* round, double target_rate) {
  bool failed = false;
  for (Trial& trial : round->trials) {
    const std::uint64_t due = trial.scheduled - trial.missed;
    if (trial.failure.empty() && due > 0 &&
        static_cast<double>(trial.errors) > kMostErrors * static_cast<double>(due)) {
      trial.failure = wrong_answers(trial, due, target_rate);
    }
    if (trial.failure.empty() && trial.ok == 0 && !trial.slices.empty()) {
      trial.failure = "it answered nothing";
    }
    failed = failed || !trial.failure.empty();
  }
  if (failed) return;
  round->why_invalid = measure::environment_fault(round->environment);
  if (round->why_invalid.empty()) round->why_invalid = uneven_workers(*round);
  if (round->why_invalid.empty()) round->why_invalid = copies_apart(*round);
  round->valid = round->why_invalid.empty();
  if (round->valid && judge_rates(round, target_rate)) return;
  for (Trial& trial : round->trials) {
    trial.valid = round->valid;
    trial.why_invalid = round->why_invalid;
  }
}

std::string moved_control(const std::vector<const Round*>& rounds, const std::string& candidate) {
  AnswerSum a, b;
  for (const Round* round : rounds) {
    a.add(base_trial(*round));
    b.add(trial_of(*round, candidate));
  }
  const auto differs = [](double left, double right) {
    return std::abs(left - right) > kControlTolerance * std::max(left, right);
  };
  const double body_a = per_answer(a.body, a.ok);
  const double body_b = per_answer(b.body, b.ok);
  if (differs(body_a, body_b)) {
    return fmt::format("body bytes per answer differ: {:.1f} against {:.1f}", body_a, body_b);
  }
  const double up_a = per_answer(a.upstream, a.ok);
  const double up_b = per_answer(b.upstream, b.ok);
  if (differs(up_a, up_b)) {
    return fmt::format("upstream requests per answer differ: {:.4f} against {:.4f}", up_a, up_b);
  }
  for (const auto& [code, count] : a.status) b.status.try_emplace(code, 0);
  for (const auto& [code, count_b] : b.status) {
    const double share_a = per_answer(a.status[code], a.ok);
    const double share_b = per_answer(count_b, b.ok);
    if (std::abs(share_a - share_b) > kControlTolerance) {
      return fmt::format("the share of status {} differs: {} against {}", code,
                         format_percent(share_a, 2), format_percent(share_b, 2));
    }
  }
  return "";
}

}  // namespace hone::pipeline
