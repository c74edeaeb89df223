#include "pipeline/sweep/results.h"

#include <algorithm>
#include <cmath>

namespace hone::pipeline {
namespace {

constexpr double kQuotedBusy = 0.6;  // of the `busy` load

}  // namespace

const char* name(Standing standing) {
  switch (standing) {
    case Standing::kHeld:
      return "held";
    case Standing::kGeneratorLimited:
      return "generator-limited";
    case Standing::kSpoiled:
      return "spoiled";
    case Standing::kSaturated:
      return "saturated";
    case Standing::kFailed:
      return "failed";
  }
  return "failed";
}

double cpu_us(const SweepPoint& point) {
  return point.ok > 0 ? point.cpu_s * 1e6 / static_cast<double>(point.ok) : 0;
}

bool carried(const SweepPoint& point) {
  return (point.standing == Standing::kHeld || point.standing == Standing::kSaturated) &&
         point.ok_share >= kCarriedShare && point.in_time >= kCarriedShare;
}

const RateRatio* quoted_ratio(const std::vector<RateRatio>& ratios) {
  const auto nearest = std::min_element(
      ratios.begin(), ratios.end(), [](const RateRatio& left, const RateRatio& right) {
        return std::abs(left.busy - kQuotedBusy) < std::abs(right.busy - kQuotedBusy);
      });
  return nearest == ratios.end() ? nullptr : &*nearest;
}

SpoiledCount count_spoiled(const Sweep& sweep) {
  SpoiledCount count;
  for (const ShapeSweep& shape : sweep.shapes) {
    for (const ArmCurve& curve : shape.curves) {
      for (const CurvePoint& point : curve.points) {
        const auto repeats = static_cast<std::size_t>(sweep.design.settings.repeats);
        count.asked += repeats;
        count.spoiled += repeats - static_cast<std::size_t>(point.repeats);
      }
    }
  }
  return count;
}

}  // namespace hone::pipeline
