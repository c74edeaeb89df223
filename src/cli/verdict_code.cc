#include "cli/verdict_code.h"

#include <algorithm>
#include <optional>

namespace hone::cli {
namespace {

using measure::Verdict;

// Worst last.
constexpr Verdict kRanking[] = {Verdict::kSaved, Verdict::kSame,     Verdict::kUnresolved,
                                Verdict::kWorse, Verdict::kWithheld, Verdict::kFailed};

int rank(Verdict verdict) {
  return static_cast<int>(std::find(std::begin(kRanking), std::end(kRanking), verdict) -
                          std::begin(kRanking));
}

int code(Verdict verdict) {
  switch (verdict) {
    case Verdict::kSaved:
      return 0;
    case Verdict::kUnresolved:
      return 3;
    case Verdict::kWorse:
      return 4;
    case Verdict::kSame:
      return 6;
    case Verdict::kFailed:
      return 7;
    case Verdict::kWithheld:
      return 8;
  }
  return 3;
}

}  // namespace

int verdict_code(const pipeline::Proof& proof, const std::string& fail_on) {
  std::optional<Verdict> worst;
  for (const bool only_trained : {true, false}) {
    for (const auto& comparison : proof.comparisons) {
      const bool counts = comparison.role == "proof" || comparison.role == "held-out";
      if (!counts || (only_trained && !comparison.trained)) continue;
      if (!worst || rank(comparison.verdict) > rank(*worst)) worst = comparison.verdict;
    }
    if (worst) break;
  }
  if (!worst) return code(Verdict::kUnresolved);
  if (fail_on == "worse" && rank(*worst) < rank(Verdict::kWorse)) return 0;
  if (fail_on == "unresolved" && rank(*worst) < rank(Verdict::kUnresolved)) return 0;
  return code(*worst);
}

int sweep_code(const pipeline::Sweep& sweep) {
  for (const auto& shape : sweep.shapes) {
    for (const auto& curve : shape.curves) {
      const pipeline::Ceiling& ceiling = curve.ceiling;
      if (ceiling.ended_by == pipeline::Standing::kFailed ||
          (ceiling.rate <= 0 && ceiling.is_own())) {
        return code(Verdict::kFailed);
      }
    }
  }
  return 0;
}

int machine_code(const Findings& findings) {
  const bool unfit = std::any_of(findings.begin(), findings.end(), [](const Finding& finding) {
    return finding.severity == "serious";
  });
  return unfit ? exit_code(ErrorKind::kMachineUnfit) : 0;
}

}  // namespace hone::cli
