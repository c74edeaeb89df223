#include "pipeline/prove/validity.h"

#include <fmt/format.h>

#include <cmath>

namespace hone::pipeline {
namespace {

// An arm that answers fewer than 99.99 % as expected is not doing the same work as one that does.
constexpr double kMostErrors = 0.0001;
// Body bytes and upstream requests are exact counts of the same requests: a difference of a tenth
// of a per cent is different work, not noise.
constexpr double kControlTolerance = 0.001;

double per_answer(std::uint64_t n, std::uint64_t ok) {
  return ok > 0 ? static_cast<double>(n) / static_cast<double>(ok) : 0;
}

}  // namespace

void judge_round(Round* round, double target_rate) {
  bool failed = false;
  for (Trial& trial : round->trials) {
    const std::uint64_t due = trial.scheduled - trial.missed;
    if (trial.failure.empty() && due > 0 &&
        static_cast<double>(trial.errors) > kMostErrors * static_cast<double>(due)) {
      trial.failure = fmt::format("{} of {} requests were not answered as expected at {:.0f}/s",
                                  trial.errors, due, target_rate);
    }
    if (trial.failure.empty() && trial.ok == 0 && !trial.slices.empty()) {
      trial.failure = "it answered nothing";
    }
    failed = failed || !trial.failure.empty();
  }
  if (failed) return;
  round->why_invalid = measure::environment_fault(round->environment);
  round->valid = round->why_invalid.empty();
  for (Trial& trial : round->trials) {
    trial.valid = round->valid;
    trial.why_invalid = round->why_invalid;
  }
}

std::string moved_control(const std::vector<const Round*>& rounds) {
  struct Sum {
    std::uint64_t ok = 0, body = 0, upstream = 0;
  };
  std::vector<Sum> arms(2);
  for (const Round* round : rounds) {
    for (std::size_t arm = 0; arm < arms.size() && arm < round->trials.size(); ++arm) {
      arms[arm].ok += round->trials[arm].ok;
      arms[arm].body += round->trials[arm].body_bytes;
      arms[arm].upstream += round->trials[arm].upstream_requests;
    }
  }
  const auto differs = [](double a, double b) {
    return std::abs(a - b) > kControlTolerance * std::max(a, b);
  };
  const double body_a = per_answer(arms[0].body, arms[0].ok);
  const double body_b = per_answer(arms[1].body, arms[1].ok);
  if (differs(body_a, body_b)) {
    return fmt::format("body bytes per answer differ: {:.1f} against {:.1f}", body_a, body_b);
  }
  const double up_a = per_answer(arms[0].upstream, arms[0].ok);
  const double up_b = per_answer(arms[1].upstream, arms[1].ok);
  if (differs(up_a, up_b)) {
    return fmt::format("upstream requests per answer differ: {:.4f} against {:.4f}", up_a, up_b);
  }
  return "";
}

}  // namespace hone::pipeline
