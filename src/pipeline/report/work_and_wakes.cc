// The work of a request and what waking adds to it: percentages that differ from pattern to pattern
// beside the microseconds that should not.
#include <fmt/format.h>

#include "base/units.h"
#include "pipeline/report/sections.h"
#include "pipeline/report/words.h"

namespace hone::pipeline::report {
namespace {

std::string p_text(double p) { return p < 0.0001 ? "p < 0.0001" : fmt::format("p = {:.4f}", p); }

Table patterns_table(const RunView& view, const WorkAndWakes& found) {
  Table table;
  const std::string& b = found.arms.back().arm;
  table.title = (view.several ? b + " on " : "") + code(found.shape) + " at " + rate(found.rate) +
                " requests/s, by arrivals";
  table.columns = {{"load"},           {"wakes A", true, 0, "per request"},
                   {"A us", true},     {b + " us", true},
                   {"effect", true},   {"95 % interval", true, 2},
                   {"us saved", true}, {"us saved 95 % interval", true, 1}};
  for (const std::string& load : found.loads) {
    for (const Comparison& one : view.run.proof.comparisons) {
      if (one.role == "aa" || one.load != load || one.shape != found.shape || one.b != b) continue;
      table.rows.push_back(
          {{code(load), wakes(one.wakes_a), microseconds(one.us_a), microseconds(one.us_b),
            format_signed_percent(one.estimate.effect), interval(one.estimate),
            microseconds(one.us_saved), microsecond_range(one.us_saved_low, one.us_saved_high)}});
    }
  }
  table.note = found.same_saving_p >= 0.05
                   ? "The microseconds saved do not differ between the patterns (" +
                         p_text(found.same_saving_p) + ", one-way F test)."
                   : "The microseconds saved differ between the patterns (" +
                         p_text(found.same_saving_p) +
                         ", one-way F test): they hold for their arrivals only.";
  return table;
}

Table fit_table(const RunView& view, const WorkAndWakes& found) {
  Table table;
  table.title = (view.several ? found.arms.back().arm + " on " : "") + code(found.shape) +
                ": extrapolated to no wakes";
  table.columns = {{"arm"},
                   {"work, us", true, 0, "CPU per request where the line meets no wakes"},
                   {"95 % interval", true},
                   {"us per wake", true},
                   {"lack of fit"}};
  for (const WorkAndWakes::Arm& arm : found.arms) {
    Table::Row row{{arm.arm}};
    if (arm.holds) {
      row.cells.insert(
          row.cells.end(),
          {microseconds(arm.work_us), microsecond_range(arm.work_us_low, arm.work_us_high),
           microseconds(arm.us_per_wake), "none seen, " + p_text(arm.lack_of_fit_p)});
    } else {
      row.cells.insert(row.cells.end(),
                       {"-", "-", "-", "the patterns are no line, " + p_text(arm.lack_of_fit_p)});
      row.tone = Tone::kNote;
    }
    table.rows.push_back(row);
  }
  table.note =
      "A line of CPU per request over wakes per request, through the patterns above; printed only "
      "where "
      "an F test finds no lack of fit (5 %). Wakes of peers that the server causes move with its "
      "own, "
      "and are in the cost of a wake.";
  return table;
}

}  // namespace

std::optional<Section> work_section(const RunView& view) {
  Section section{"Work and wakes", {}, true};
  for (const WorkAndWakes& found : view.run.proof.work_and_wakes) {
    section.parts.emplace_back(patterns_table(view, found));
    section.parts.emplace_back(fit_table(view, found));
  }
  if (section.parts.empty()) return std::nullopt;
  return section;
}

}  // namespace hone::pipeline::report
