// The t interval over rounds was chosen against the bootstrap, which under-covers at ten pairs and
// fewer, and against rank tests, whose smallest p at six pairs is 3 % whatever the effect. Its
// price is trust in near-normal rounds: bench/statistics_coverage shows what outliers do to it.
// Hodges-Lehmann and rounds won stand beside it for readers who want a figure without that trust.
#include "measure/statistics/comparison.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "measure/statistics/median.h"
#include "measure/statistics/power.h"
#include "measure/statistics/student.h"

namespace hone::measure {
namespace {

// Two-sided level of every test: the 95 % of the intervals.
constexpr double kAlpha = 0.05;

// Logarithms of equal costs may differ by a few units in the last place (2e-16); no measured effect
// is anywhere near 1e-12. Below it a deviation or a distance from 0 counts as none.
constexpr double kRounding = 1e-12;

// All on the log scale.
struct Sample {
  int n = 0;
  double mean = 0, sd = 0;
  int degrees = 0;  // of freedom, of sd
  double error() const { return sd / std::sqrt(n); }
};

struct Interval {
  double low = 0, high = 0;
  bool excludes_zero() const { return low > kRounding || high < -kRounding; }
};

double mean_of(const std::vector<double>& values, std::size_t first) {
  double mean = 0;
  for (std::size_t i = 0; i < first; ++i) mean += values[i] / static_cast<double>(first);
  return mean;
}

// `first_stage`: how many of the first values give the deviation; 0: all.
Sample sample_of(const std::vector<double>& values, int first_stage) {
  const std::size_t all = values.size();
  const std::size_t first =
      first_stage > 1 ? std::min(all, static_cast<std::size_t>(first_stage)) : all;
  Sample sample;
  sample.n = static_cast<int>(all);
  sample.degrees = static_cast<int>(first) - 1;
  sample.mean = mean_of(values, all);
  const double mean_of_first = mean_of(values, first);
  double squares = 0;
  for (std::size_t i = 0; i < first; ++i) {
    squares += (values[i] - mean_of_first) * (values[i] - mean_of_first);
  }
  sample.sd = std::sqrt(squares / sample.degrees);
  if (sample.sd < kRounding) sample.sd = 0;
  return sample;
}

Interval interval_of(const Sample& sample, double confidence) {
  const double half = t_quantile(0.5 + confidence / 2, sample.degrees) * sample.error();
  return {sample.mean - half, sample.mean + half};
}

Estimate relative(const Sample& sample, const Interval& interval) {
  return {std::expm1(sample.mean), std::expm1(interval.low), std::expm1(interval.high)};
}

double p_value_of(const Sample& sample) {
  if (std::fabs(sample.mean) <= kRounding) return 1;
  if (sample.sd == 0) return 0;
  return t_two_sided_p(sample.mean / sample.error(), sample.degrees);
}

// Median of the means of all pairs, each value with itself included. At the thousand rounds that a
// proof may have these are half a million numbers: a few milliseconds.
double hodges_lehmann_of(const std::vector<double>& values) {
  std::vector<double> walsh;
  walsh.reserve(values.size() * (values.size() + 1) / 2);
  for (std::size_t i = 0; i < values.size(); ++i) {
    for (std::size_t j = i; j < values.size(); ++j) walsh.push_back((values[i] + values[j]) / 2);
  }
  return median(std::move(walsh));
}

struct LogRounds {
  std::vector<double> effects, controls;
};

bool usable(const RoundCost& cost) {
  const auto good = [](double value) { return std::isfinite(value) && value > 0; };
  return good(cost.a) && good(cost.b) && good(cost.a2);
}

// Nothing when a cost has no logarithm.
std::optional<LogRounds> log_rounds(const std::vector<RoundCost>& rounds) {
  LogRounds logs;
  for (const RoundCost& cost : rounds) {
    if (!usable(cost)) return std::nullopt;
    logs.effects.push_back(std::log(cost.b) - (std::log(cost.a) + std::log(cost.a2)) / 2);
    logs.controls.push_back(std::log(cost.a2) - std::log(cost.a));
  }
  return logs;
}

Verdict verdict_of_facts(const JudgeSettings& settings) {
  if (settings.arm_failed) return Verdict::kFailed;
  if (settings.control_moved) return Verdict::kWithheld;
  return Verdict::kUnresolved;
}

Verdict verdict_of(const Judgement& judgement, const Sample& effect, const Interval& control,
                   const JudgeSettings& settings) {
  if (const Verdict fact = verdict_of_facts(settings); fact != Verdict::kUnresolved) return fact;
  if (control.excludes_zero()) return Verdict::kWithheld;
  if (judgement.rounds < kLeastRounds) return Verdict::kUnresolved;
  // Two one-sided tests at 5 % each make a 90 % interval.
  const Estimate narrow = relative(effect, interval_of(effect, 1 - 2 * kAlpha));
  if (narrow.low > -settings.smallest_effect && narrow.high < settings.smallest_effect) {
    return Verdict::kSame;
  }
  const bool clear = interval_of(effect, 1 - kAlpha).excludes_zero();
  if (!clear || std::fabs(judgement.effect.effect) <= judgement.floor) return Verdict::kUnresolved;
  return judgement.effect.effect < 0 ? Verdict::kSaved : Verdict::kWorse;
}

Judgement judge_logs(const LogRounds& logs, const JudgeSettings& settings) {
  Judgement judgement;
  judgement.rounds = static_cast<int>(logs.effects.size());
  judgement.verdict = verdict_of_facts(settings);
  if (judgement.rounds < 2) return judgement;

  const Sample effect = sample_of(logs.effects, settings.first_stage);
  const Sample control = sample_of(logs.controls, settings.first_stage);
  const Interval control_interval = interval_of(control, 1 - kAlpha);
  judgement.effect = relative(effect, interval_of(effect, 1 - kAlpha));
  judgement.aa = relative(control, control_interval);
  judgement.hodges_lehmann = std::expm1(hodges_lehmann_of(logs.effects));
  judgement.pair_sd = effect.sd;
  judgement.degrees = effect.degrees;
  judgement.p_value = p_value_of(effect);
  judgement.floor = std::max(std::fabs(judgement.aa.low), std::fabs(judgement.aa.high));
  judgement.won = static_cast<int>(std::count_if(logs.effects.begin(), logs.effects.end(),
                                                 [](double log) { return log < -kRounding; }));
  const Spread spread{effect.sd, judgement.floor, control.error(), judgement.rounds};
  judgement.smallest_detectable = smallest_detectable(spread, kAlpha);
  judgement.verdict = verdict_of(judgement, effect, control_interval, settings);
  if (judgement.verdict == Verdict::kUnresolved) {
    judgement.rounds_needed = rounds_needed(spread, effect.mean, settings.smallest_effect, kAlpha);
  }
  return judgement;
}

// The standard error of the control is in the width of its interval.
Spread spread_of(const Judgement& judgement) {
  const double width = std::log1p(judgement.aa.high) - std::log1p(judgement.aa.low);
  const double error = width / 2 / t_quantile(1 - kAlpha / 2, judgement.degrees);
  return {judgement.pair_sd, judgement.floor, error, judgement.rounds};
}

Judgement nothing_computed(std::size_t rounds, const JudgeSettings& settings) {
  Judgement judgement;
  judgement.rounds = static_cast<int>(rounds);
  judgement.verdict = verdict_of_facts(settings);
  return judgement;
}

}  // namespace

const char* name(Verdict verdict) {
  switch (verdict) {
    case Verdict::kFailed:
      return "failed";
    case Verdict::kWithheld:
      return "withheld";
    case Verdict::kSame:
      return "same";
    case Verdict::kSaved:
      return "saved";
    case Verdict::kWorse:
      return "worse";
    case Verdict::kUnresolved:
      return "unresolved";
  }
  return "unresolved";
}

Judgement judge(const std::vector<RoundCost>& rounds, const JudgeSettings& settings) {
  const std::optional<LogRounds> logs = log_rounds(rounds);
  return logs ? judge_logs(*logs, settings) : nothing_computed(rounds.size(), settings);
}

void adjust_holm(std::vector<Judgement*> family) {
  std::sort(family.begin(), family.end(), [](const Judgement* left, const Judgement* right) {
    return left->p_value < right->p_value;
  });
  double adjusted = 0;
  for (std::size_t i = 0; i < family.size(); ++i) {
    Judgement& judgement = *family[i];
    const double steps = static_cast<double>(family.size() - i);
    adjusted = std::max(adjusted, std::min(1.0, steps * judgement.p_value));
    const bool called =
        judgement.verdict == Verdict::kSaved || judgement.verdict == Verdict::kWorse;
    if (!called || adjusted <= kAlpha) continue;
    judgement.verdict = Verdict::kUnresolved;
    // At its own step of the procedure; it was not `same` and is not to become so by more rounds.
    judgement.rounds_needed =
        rounds_needed(spread_of(judgement), std::log1p(judgement.effect.effect), 0, kAlpha / steps);
  }
}

Judgement judge_total(const std::vector<std::vector<RoundCost>>& shapes,
                      const std::vector<double>& shares, const JudgeSettings& settings) {
  double sum = 0;
  for (const double share : shares) sum += share;
  std::size_t rounds = shapes.empty() ? 0 : std::numeric_limits<std::size_t>::max();
  for (const auto& shape : shapes) rounds = std::min(rounds, shape.size());
  if (shapes.size() != shares.size() || !(sum > 0)) return nothing_computed(rounds, settings);

  LogRounds total;
  total.effects.assign(rounds, 0);
  total.controls.assign(rounds, 0);
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    const std::optional<LogRounds> logs = log_rounds(shapes[i]);
    if (!logs) return nothing_computed(rounds, settings);
    for (std::size_t round = 0; round < rounds; ++round) {
      total.effects[round] += shares[i] / sum * logs->effects[round];
      total.controls[round] += shares[i] / sum * logs->controls[round];
    }
  }
  return judge_logs(total, settings);
}

}  // namespace hone::measure
