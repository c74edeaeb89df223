// A ceiling that the generator or the machine ended is a lower bound and is never set against
// another as if it were the arm's own.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/text.h"
#include "base/units.h"
#include "pipeline/report/sweep_sections.h"
#include "pipeline/report/words.h"

namespace hone::pipeline::report {
namespace {

const ArmCurve* curve_of(const ShapeSweep& shape, std::size_t arm) {
  return arm < shape.curves.size() ? &shape.curves[arm] : nullptr;
}

// " (19 to 34 % more)": of B's ceiling against A's, where both are the arms' own. Each lies between
// the rate that held and the next one, so their ratio does between those of the ends.
std::string ceiling_difference(const Ceiling& a, const Ceiling& b) {
  if (!a.is_own() || !b.is_own() || a.rate <= 0 || b.rate <= 0) return {};
  const double low = b.rate / a.next_rate - 1, high = b.next_rate / a.rate - 1;
  if (low <= 0 && high >= 0) return " (no difference that rates so far apart can tell)";
  const double near = std::min(std::abs(low), std::abs(high));
  const double far = std::max(std::abs(low), std::abs(high));
  return fmt::format(" ({:.0f} to {} {})", near * 100, format_percent(far, 0),
                     low > 0 ? "more" : "less");
}

std::string why_bounded(const Ceiling& ceiling) {
  switch (ceiling.ended_by) {
    case Standing::kHeld:
      return " (no higher rate was tried)";
    case Standing::kGeneratorLimited:
      return " (load and origin could not carry more)";
    case Standing::kSpoiled:
      return " (the machine spoiled what lies above)";
    case Standing::kSaturated:
    case Standing::kFailed:
      break;
  }
  return {};
}

std::string held_text(const SweepValues& values, const ArmCurve& curve) {
  return arm_name(values, curve.arm) + " holds " + ceiling_text(curve.ceiling) +
         why_bounded(curve.ceiling);
}

// "A holds up to 19,000 requests/s, B holds up to 24,000 requests/s (19 to 34 % more)".
std::string shape_sentence(const SweepValues& values, const ShapeSweep& shape) {
  const ArmCurve* a = curve_of(shape, 0);
  const ArmCurve* b = curve_of(shape, 1);
  if (!a) return "nothing was measured";
  if (!b) return held_text(values, *a);
  return held_text(values, *a) + ", " + held_text(values, *b) +
         ceiling_difference(a->ceiling, b->ceiling);
}

std::string on_shape(const SweepValues& values, const ShapeSweep& shape) {
  return values.sweep.shapes.size() > 1 ? code(shape.shape) + ": " : "";
}

std::optional<Sentence> ratio_sentence(const SweepValues& values, const ShapeSweep& shape) {
  const RateRatio* ratio = quoted_ratio(shape.ratios);
  if (!ratio) return std::nullopt;
  const measure::Estimate& e = ratio->ratio;
  std::string text = on_shape(values, shape) + "At " + format_percent(ratio->busy, 0) +
                     " of the server's CPUs B carries " + format_percent(std::abs(e.effect)) +
                     (e.effect < 0 ? " fewer" : " more") + " requests/s than A";
  text += ratio->repeats > 1 ? " (95 % interval " + interval(e) + ", " +
                                   plural(static_cast<std::size_t>(ratio->repeats), "repeat") + ")."
                             : " (one repeat: no interval).";
  return Sentence{text};
}

std::optional<Sentence> knee_sentence(const SweepValues& values, const ShapeSweep& shape) {
  std::vector<std::string> knees;
  for (const ArmCurve& curve : shape.curves) {
    if (curve.knee.rate > 0)
      knees.push_back(fmt::format("{} at {} requests/s (p99 {})", curve.arm, rate(curve.knee.rate),
                                  latency_text(curve.knee.p99_us)));
  }
  if (knees.empty()) return std::nullopt;
  return Sentence{on_shape(values, shape) + "The knee of p99: " + join(knees, ", ") + "."};
}

Tone headline_tone(const Sweep& sweep) {
  for (const ShapeSweep& shape : sweep.shapes)
    for (const ArmCurve& curve : shape.curves)
      if (curve.ceiling.ended_by == Standing::kFailed ||
          (curve.ceiling.rate <= 0 && curve.ceiling.is_own()))
        return Tone::kBad;
  return Tone::kPlain;
}

}  // namespace

std::string arm_name(const SweepValues& values, const std::string& arm) {
  const RunView view(values.run);
  return view.rebuilt ? arm + " (" + code(view.variant(arm)) + ")" : arm;
}

std::string latency_text(double us) {
  return fmt::format("{:.{}f} ms", us / 1e3, us < 1e4 ? 2 : us < 1e5 ? 1 : 0);
}

std::string ceiling_text(const Ceiling& ceiling) {
  if (ceiling.rate <= 0) return ceiling.is_own() ? "none of these rates" : "no rate for certain";
  return (ceiling.is_own() ? "up to " : "at least ") + rate(ceiling.rate) + " requests/s";
}

Sentence sweep_headline(const SweepValues& values) {
  std::vector<std::string> parts;
  for (const ShapeSweep& shape : values.sweep.shapes)
    parts.push_back(on_shape(values, shape) + shape_sentence(values, shape));
  if (parts.empty()) return {"Nothing was swept.", Tone::kNote};
  const SweepSettings& settings = values.sweep.design.settings;
  return {fmt::format("With 99.9 % answered in time and p99 within {:g} ms, {}.",
                      settings.p99_limit_ms, join(parts, ". ")),
          headline_tone(values.sweep)};
}

std::vector<Sentence> sweep_lead(const SweepValues& values) {
  std::vector<Sentence> sentences;
  for (const ShapeSweep& shape : values.sweep.shapes) {
    if (auto ratio = ratio_sentence(values, shape)) sentences.push_back(*std::move(ratio));
    if (auto knee = knee_sentence(values, shape)) sentences.push_back(*std::move(knee));
  }
  for (const Finding& finding : values.sweep.findings)
    if (finding.id == "sweep.spoiled") sentences.push_back({sentence(finding.text), Tone::kNote});
  return sentences;
}

}  // namespace hone::pipeline::report
