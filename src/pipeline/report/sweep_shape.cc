// One shape's sweep: ceilings, curves, the same as a table, and the ratio by utilisation.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/units.h"
#include "pipeline/report/axis.h"
#include "pipeline/report/sweep_sections.h"
#include "pipeline/report/words.h"

namespace hone::pipeline::report {
namespace {

Tone tone_of_standing(Standing standing) {
  switch (standing) {
    case Standing::kHeld:
      return Tone::kGood;
    case Standing::kFailed:
      return Tone::kBad;
    case Standing::kSaturated:
    case Standing::kGeneratorLimited:
    case Standing::kSpoiled:
      return Tone::kNote;
  }
  return Tone::kNote;
}

std::string knee_text(const Knee& knee) {
  if (knee.rate <= 0) return "none seen";
  return knee.low < knee.high
             ? fmt::format("{} ({} to {})", rate(knee.rate), rate(knee.low), rate(knee.high))
             : rate(knee.rate);
}

Table ceiling_table(const SweepValues& values, const ShapeSweep& shape) {
  Table table;
  table.title = "Ceilings";
  table.columns = {{"arm"},
                   {"ceiling", false, 0, "highest rate up to which every repeat held", true},
                   {"next rate", true, 0, "the lowest rate measured that was not held"},
                   {"knee", true, 2, "where p99 leaves its floor; in brackets, over repeats"},
                   {"what ended it"}};
  for (const ArmCurve& curve : shape.curves) {
    const Ceiling& ceiling = curve.ceiling;
    const std::string why = ceiling.ended_by == Standing::kHeld
                                ? "all rates were held"
                                : std::string(name(ceiling.ended_by)) + ", " + ceiling.why;
    table.rows.push_back(
        {{arm_name(values, curve.arm), ceiling_text(ceiling),
          ceiling.next_rate > 0 ? rate(ceiling.next_rate) : "-", knee_text(curve.knee), why},
         ceiling.rate <= 0 || ceiling.ended_by == Standing::kFailed ? Tone::kBad
         : ceiling.is_own()                                         ? Tone::kPlain
                                                                    : Tone::kNote});
  }
  table.note =
      "A ceiling is one of the rates measured: the arm's true one lies between it and the next.";
  return table;
}

std::vector<Table::Column> rate_columns() {
  return {{"requests/s", true, 0, "asked for, all connections together"},
          {"arm"},
          {"CPU us", true, 0, "CPU per successful response, median over repeats"},
          {"least to most", true, 7, "over repeats, of the CPU per response"},
          {"p50 ms", true, 5, "latency from the due time, median over repeats"},
          {"p99 ms", true, 0, "latency from the due time, median over repeats"},
          {"p99.9 ms", true, 6, "latency from the due time, median over repeats"},
          {"in time", true, 3, "requests that left within the slice, the least of the repeats"},
          {"ok", true, 4, "requests answered as expected, the least of the repeats"},
          {"server busy", true, 0, "of the server's CPUs"},
          {"load busy", true, 2, "of the CPU of load and origin"},
          {"wakes", true, 8, "of the server, per request"},
          {"held", true, 0, "repeats, of those that count"},
          {"point", false, 0, "what the repeats show together", true}};
}

std::string ms(double us) {
  return fmt::format("{:.{}f}", us / 1e3, us < 1e4 ? 2 : us < 1e5 ? 1 : 0);
}

Table::Row rate_row(const std::string& arm, const CurvePoint& point) {
  Table::Row row;
  row.tone = tone_of_standing(point.standing);
  row.cells = {rate(point.rate), arm};
  if (point.repeats == 0) {
    row.cells.insert(row.cells.end(), 10, "-");
  } else {
    row.cells.insert(
        row.cells.end(),
        {microseconds(point.cpu_us.median), microsecond_range(point.cpu_us.low, point.cpu_us.high),
         ms(point.p50_us.median), ms(point.p99_us.median), ms(point.p999_us.median),
         format_percent(point.in_time, 2), format_percent(point.ok_share, 2),
         format_percent(point.server_busy, 0), format_percent(point.load_busy, 0),
         wakes(point.wakes_per_request)});
  }
  row.cells.push_back(fmt::format("{}/{}", point.held, point.repeats));
  row.cells.emplace_back(name(point.standing));
  if (point.standing == Standing::kFailed || point.standing == Standing::kGeneratorLimited)
    row.note = sentence(point.why);
  return row;
}

Table rate_table(const ShapeSweep& shape) {
  Table table;
  table.title = "Every rate";
  table.columns = rate_columns();
  for (std::size_t i = 0; i < shape.rates.size(); ++i)
    for (const ArmCurve& curve : shape.curves)
      if (i < curve.points.size()) table.rows.push_back(rate_row(curve.arm, curve.points[i]));
  table.note =
      "A saturated point is no fault: it lies past what the arm can carry. Latency there grows "
      "with the length of a slice.";
  return table;
}

Table ratio_table(const ShapeSweep& shape) {
  Table table;
  table.title = "Requests/s of B against A at equal utilisation of the server's CPUs";
  table.columns = {{"server busy", true},
                   {"A requests/s", true},
                   {"B requests/s", true},
                   {"B against A", true},
                   {"95 % interval", true, 0, "t interval over repeats"},
                   {"repeats", true}};
  for (const RateRatio& ratio : shape.ratios) {
    table.rows.push_back(
        {{format_percent(ratio.busy, 0), rate(ratio.rate_a), rate(ratio.rate_b),
          format_signed_percent(ratio.ratio.effect),
          ratio.repeats > 1 ? interval(ratio.ratio) : "-", std::to_string(ratio.repeats)}});
  }
  table.note = "Between the rates measured, interpolated linearly; never beyond them.";
  return table;
}

double largest(const ShapeSweep& shape, double (*figure)(const CurvePoint&)) {
  double most = 0;
  for (const ArmCurve& curve : shape.curves)
    for (const CurvePoint& point : curve.points)
      if (point.repeats > 0) most = std::max(most, figure(point));
  return most;
}

double least(const ShapeSweep& shape, double (*figure)(const CurvePoint&)) {
  double least = 0;
  for (const ArmCurve& curve : shape.curves)
    for (const CurvePoint& point : curve.points)
      if (point.repeats > 0 && figure(point) > 0 && (least <= 0 || figure(point) < least))
        least = figure(point);
  return least;
}

// Both charts, but for the vertical axis.
Curves over_rate(const ShapeSweep& shape) {
  Curves curves;
  curves.x_axis = "requests/s";
  curves.x_ticks = plain_ticks(shape.rates.empty() ? 1 : shape.rates.back());
  for (std::size_t i = 0; i < shape.curves.size(); ++i) {
    const ArmCurve& curve = shape.curves[i];
    curves.lines.push_back({curve.arm, {}});
    if (curve.ceiling.rate > 0)
      curves.marks.push_back({curve.ceiling.rate,
                              curve.arm + (curve.ceiling.is_own() ? ": ceiling" : ": at least"),
                              i});
  }
  curves.legend =
      "Median over repeats, from the least to the most. Hollow: not every repeat held. Broken "
      "line: "
      "ceiling. The table of every rate holds the same figures.";
  return curves;
}

template <typename ToPoint>
void add_points(const ShapeSweep& shape, Curves* curves, ToPoint to_point) {
  for (std::size_t i = 0; i < shape.curves.size(); ++i) {
    for (const CurvePoint& point : shape.curves[i].points) {
      if (point.repeats == 0) continue;
      Curves::Point drawn = to_point(point);
      drawn.x = point.rate;
      drawn.hollow = point.standing != Standing::kHeld;
      curves->lines[i].points.push_back(drawn);
    }
  }
}

std::string described(const ShapeSweep& shape, const std::string& what) {
  return what + " of every arm over " + plural(shape.rates.size(), "rate") + " up to " +
         rate(shape.rates.empty() ? 0 : shape.rates.back()) +
         " requests/s; the table of every rate holds the figures.";
}

Curves cpu_curves(const ShapeSweep& shape) {
  Curves curves = over_rate(shape);
  curves.title = "CPU per request over the rate, " + code(shape.shape);
  curves.y_axis = "CPU per request, us";
  curves.description = described(shape, "CPU per request");
  curves.y_ticks = plain_ticks(
      std::max(1.0, largest(shape, [](const CurvePoint& point) { return point.cpu_us.high; })));
  add_points(shape, &curves, [](const CurvePoint& point) {
    return Curves::Point{0, point.cpu_us.median, point.cpu_us.low, point.cpu_us.high};
  });
  return curves;
}

Curves p99_curves(const ShapeSweep& shape, double limit_ms) {
  Curves curves = over_rate(shape);
  curves.title = "p99 latency over the rate, " + code(shape.shape);
  curves.y_axis = "p99, ms (logarithmic)";
  curves.description = described(shape, "p99 latency");
  const auto high = [](const CurvePoint& point) { return point.p99_us.high; };
  const auto low = [](const CurvePoint& point) { return point.p99_us.low; };
  const double most = std::max(largest(shape, high) / 1e3, limit_ms);
  const double fewest = least(shape, low) / 1e3;
  curves.y_ticks = log_ticks(fewest > 0 ? std::min(fewest, limit_ms / 2) : limit_ms / 2, most);
  curves.limits.push_back({std::log10(limit_ms), fmt::format("limit {:g} ms", limit_ms), 0});
  add_points(shape, &curves, [](const CurvePoint& point) {
    const auto scaled = [](double us) { return std::log10(std::max(us / 1e3, 1e-3)); };
    return Curves::Point{0, scaled(point.p99_us.median), scaled(point.p99_us.low),
                         scaled(point.p99_us.high)};
  });
  return curves;
}

}  // namespace

Section shape_sweep_section(const SweepValues& values, const ShapeSweep& shape) {
  Section section{"Shape " + code(shape.shape) + ": from little load to saturation", {}, true};
  section.parts.emplace_back(ceiling_table(values, shape));
  section.parts.emplace_back(cpu_curves(shape));
  section.parts.emplace_back(p99_curves(shape, values.sweep.design.settings.p99_limit_ms));
  section.parts.emplace_back(rate_table(shape));
  if (!shape.ratios.empty()) section.parts.emplace_back(ratio_table(shape));
  return section;
}

}  // namespace hone::pipeline::report
