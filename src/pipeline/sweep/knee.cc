#include "pipeline/sweep/knee.h"

#include <cmath>
#include <cstddef>

namespace hone::pipeline {
namespace {

constexpr std::size_t kLeastPoints = 4;  // three always bend somewhere
// A straight line with the scatter of p99 (some 10 % of its range) lies this far off its chord.
constexpr double kLeastDepth = 0.1;

}  // namespace

std::optional<KneePoint> find_knee(const std::vector<KneePoint>& points) {
  if (points.size() < kLeastPoints) return std::nullopt;
  const KneePoint& first = points.front();
  const KneePoint& last = points.back();
  if (!(first.p99_us > 0) || !(last.p99_us > first.p99_us) || !(last.rate > first.rate)) {
    return std::nullopt;
  }
  std::optional<KneePoint> knee;
  double deepest = kLeastDepth;
  for (const KneePoint& point : points) {
    if (!(point.p99_us > 0)) continue;
    const double x = (point.rate - first.rate) / (last.rate - first.rate);
    const double y = std::log(point.p99_us / first.p99_us) / std::log(last.p99_us / first.p99_us);
    if (x - y <= deepest) continue;
    deepest = x - y;
    knee = point;
  }
  return knee;
}

}  // namespace hone::pipeline
