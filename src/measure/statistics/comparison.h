// From per-round costs to an effect, an interval and a verdict. Takes vectors, returns values;
// knows nothing of servers.
//
// Per round the effect is `ln B - (ln A + ln A')/2` and the control `ln A' - ln A`: with equal
// variances the two are uncorrelated, so the noise that A and A' show is a fair yardstick for what
// B shows. The round is the unit of replication: intervals are 95 % Student t intervals over
// rounds, made on the log scale and printed as relative changes, exp(x) - 1.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/json.h"

namespace hone::measure {

// Cost of each arm in one round, any positive unit (CPU seconds per successful response).
// a2 is A', a byte copy of A.
struct RoundCost {
  double a = 0, b = 0, a2 = 0;
};

enum class Verdict { kFailed, kWithheld, kSame, kSaved, kWorse, kUnresolved };
NLOHMANN_JSON_SERIALIZE_ENUM(Verdict, {{Verdict::kFailed, "failed"},
                                       {Verdict::kWithheld, "withheld"},
                                       {Verdict::kSame, "same"},
                                       {Verdict::kSaved, "saved"},
                                       {Verdict::kWorse, "worse"},
                                       {Verdict::kUnresolved, "unresolved"}})
const char* name(Verdict);

// Relative: -0.31 means 31 % less. low <= effect <= high.
struct Estimate {
  double effect = 0, low = 0, high = 0;
};
HONE_JSON(Estimate)

// With n pairs the smallest two-sided p of a sign or Wilcoxon test is 2^(1-n): below six rounds no
// rank-based reader could agree at 5 %, and a t interval rests on normality alone. So with fewer
// the verdict is never `same`, `saved` or `worse`.
inline constexpr int kLeastRounds = 6;

struct JudgeSettings {
  double smallest_effect = 0.01;  // that matters; `same` lies inside it
  // Facts found blind to the CPU figures; they decide before any statistics.
  bool arm_failed = false;
  bool control_moved = false;  // a negative control differs between the arms
  // With Stein's procedure (precision.h): deviations and degrees of freedom are those of the first
  // so many rounds. 0: of all.
  int first_stage = 0;
};

struct Judgement {
  Estimate effect;            // B against the mean of A and A', 95 % t interval over rounds
  Estimate aa;                // A' against A
  double hodges_lehmann = 0;  // median of the Walsh averages, relative; description only
  double pair_sd = 0;         // of the per-round log effects (of the first stage)
  int degrees = 0;            // of freedom, of pair_sd and so of the intervals
  double p_value = 1;         // two-sided t test of no effect; not adjusted
  // Larger absolute end of the A/A's interval, on the relative scale: what a reader sees printed is
  // what `effect` is compared with.
  double floor = 0;
  // The smallest true effect that would be called at this number of rounds with 80 % power, as an
  // increase. It has to pass two bars at once, the t test (noncentral t) and a floor like the one
  // seen; both ask the same mean to be large enough, so the higher bar decides: the larger of the
  // two, not their sum.
  double smallest_detectable = 0;
  // The smallest number of rounds, at least kLeastRounds, at which the effect seen, were it true,
  // would be called `saved`/`worse` or `same` with 80 % power, given pair_sd and a floor that
  // shrinks as 1/sqrt(rounds). Set only with the verdict `unresolved`, and nothing even then when
  // 1,000 rounds would not do.
  std::optional<int> rounds_needed;
  int rounds = 0, won = 0;  // won: rounds in which B cost less
  Verdict verdict = Verdict::kUnresolved;
};

// The verdict, first match wins:
//   failed      an arm's own fault
//   withheld    a negative control moved, or the A/A interval excludes 0
//   same        the 90 % interval lies inside +-smallest_effect (two one-sided tests at 5 %)
//   saved/worse the 95 % interval excludes 0 and |effect| is beyond the floor
//   unresolved  all else
// With fewer than 2 rounds, or a cost that is not a positive number, nothing is computed and only
// the settings' facts decide.
Judgement judge(const std::vector<RoundCost>& rounds, const JudgeSettings&);

// Holm's step-down over the trained shapes of one load: a `saved` or `worse` whose adjusted p is
// above 0.05 becomes `unresolved`. p_value stays as it was.
void adjust_holm(std::vector<Judgement*> family);

// The total over shapes weighted by their shares: per round the weighted mean of log effects over
// shapes, then the same interval and verdict. Where shapes have unequal numbers of rounds the
// smallest counts. Shares need not add up to 1, but there is one for each shape and their sum is
// positive; else nothing is computed.
Judgement judge_total(const std::vector<std::vector<RoundCost>>& shapes,
                      const std::vector<double>& shares, const JudgeSettings&);

}  // namespace hone::measure
