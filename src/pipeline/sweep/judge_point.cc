#include "pipeline/sweep/judge_point.h"

#include <fmt/format.h>

#include "base/text.h"
#include "base/units.h"

namespace hone::pipeline {
namespace {

// As in a proof (validity.cc): what a busier worker saves by batching is not its binary's.
constexpr double kWorkerOffFair = 0.1;

std::string error_codes(const SweepPoint& point) {
  std::vector<std::string> codes;
  for (const auto& [code, count] : point.status) {
    if (!code.starts_with('2') && !code.starts_with('3'))
      codes.push_back(fmt::format("status {}: {}", code, count));
  }
  return codes.empty() ? "" : " (" + join(codes, ", ") + ")";
}

std::string spoiled_by(const SweepPoint& point) {
  std::string fault = measure::environment_fault(point.environment);
  if (!fault.empty()) return fault;
  if (is_even(point.workers) || off_fair(point.workers) <= kWorkerOffFair) return "";
  return "its connections sit " + to_string(point.workers) + " on its workers";
}

}  // namespace

bool answers_hold(const SweepPoint& point, const SweepSettings& settings, std::string* why) {
  if (point.standing == Standing::kFailed) {
    *why = point.why;
    return false;
  }
  std::vector<std::string> faults;
  if (!(point.ok_share >= kCarriedShare)) {
    faults.push_back(format_percent(point.ok_share, 2) + " answered ok" + error_codes(point));
  }
  if (!(point.in_time >= kCarriedShare)) {
    faults.push_back(format_percent(point.in_time, 2) + " sent in time");
  }
  const double p99_ms = point.latency_us.p99 / 1e3;
  if (!(p99_ms <= settings.p99_limit_ms)) {
    faults.push_back(fmt::format("p99 {:.1f} ms (limit {:g} ms)", p99_ms, settings.p99_limit_ms));
  }
  *why = join(faults, "; ");
  return faults.empty();
}

void judge_point(SweepPoint* point, const SweepSettings& settings) {
  if (point->standing == Standing::kFailed) return;
  if (point->load_busy > kGeneratorBound) {
    point->standing = Standing::kGeneratorLimited;
    point->why = fmt::format("load and origin used {} of their CPU (limit {})",
                             format_percent(point->load_busy), format_percent(kGeneratorBound, 0));
    return;
  }
  if (point->why = spoiled_by(*point); !point->why.empty()) {
    point->standing = Standing::kSpoiled;
    return;
  }
  point->standing =
      answers_hold(*point, settings, &point->why) ? Standing::kHeld : Standing::kSaturated;
}

}  // namespace hone::pipeline
