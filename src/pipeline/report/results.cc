// What was found, load by load: the total, the table of shapes or candidates, and the same as dots
// on one axis.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "base/units.h"
#include "pipeline/report/axis.h"
#include "pipeline/report/sections.h"
#include "pipeline/report/words.h"

namespace hone::pipeline::report {
namespace {

using measure::Verdict;

// A comparison whose arm failed has no figures to print.
bool has_figures(const Comparison& one) { return one.rounds >= 2; }

std::string asked_text(const LoadView& load) {
  if (!load.asked) return {};
  const std::string what = load.asked->busy > 0
                               ? format_percent(load.asked->busy, 0) + " of the server's CPUs busy"
                               : rate(load.asked->rate) + " requests/s";
  return what + ", arrivals " + code(load.asked->arrivals);
}

std::string rate_span(const RunView& view, const LoadView& load) {
  double low = 0, high = 0;
  bool first = true;
  for (const Comparison* one : load.all()) {
    const ResolvedLoad* resolved = view.resolved(load.name, one->shape);
    if (!resolved) continue;
    low = first ? resolved->rate : std::min(low, resolved->rate);
    high = first ? resolved->rate : std::max(high, resolved->rate);
    first = false;
  }
  if (first) return "-";
  const std::string a = rate(low), b = rate(high);
  return a == b ? a : a + " to " + b;
}

bool any_label(const RunView& view) {
  const std::vector<Arm> arms = view.arms();
  return std::any_of(arms.begin(), arms.end(), [](const Arm& arm) { return !arm.label.empty(); });
}

std::vector<Table::Column> row_columns(const RunView& view) {
  const std::string b = view.several ? "the candidate" : "B";
  std::vector<Table::Column> columns = {
      {view.row_name(), false, 0,
       view.several ? "the candidate" : "traffic pattern; * was not trained"},
      {"name", false, 0, "as given"},
      {"requests/s", true, 6, "the rate of this shape at this load, all connections together"},
      {"A us", true, 0, "CPU per successful response of A, mean over rounds"},
      {view.b() + " us", true, 0, "CPU per successful response of " + b + ", mean over rounds"},
      {"effect", true, 0, "CPU per request of " + b + " against A, geometric mean over rounds"},
      {"95 % interval", true, 0, "of the effect: t interval over rounds"},
      {"us saved", true, 0, "CPU per request of A minus " + b + ", paired by round"},
      {"us saved 95 % interval", true, 9, "of the microseconds saved"},
      {"wakes A", true, 0, "wakes per request of A"},
      {"wakes " + view.b(), true, 2, "wakes per request of " + b},
      {"A/A 95 % interval", true, 7, "the copy of A against A in the same rounds: the noise"},
      {"floor", true, 8, "larger end of the A/A's interval; no smaller effect is claimed"},
      {"won", true, 4, "rounds in which " + b + " took less CPU per request, of all counted"},
      {"verdict", false, 0, "the reason stands beneath each row", true}};
  if (!any_label(view)) columns.erase(columns.begin() + 1);
  return columns;
}

// Code layout alone moves servers by this much (docs/method.md).
constexpr double kLayoutLuck = 0.05;

bool may_be_layout(const RunView& view, const Comparison& one) {
  const Design& design = view.run.proof.design;
  const auto other = std::find_if(design.candidates.begin(), design.candidates.end(),
                                  [&one](const Arm& arm) { return arm.name == one.b; });
  return (one.verdict == Verdict::kSaved || one.verdict == Verdict::kWorse) &&
         std::abs(one.estimate.effect) < kLayoutLuck && other != design.candidates.end() &&
         other->sha256 != design.base.sha256;
}

std::string row_note(const RunView& view, const Comparison& one) {
  std::vector<std::string> notes;
  if (!one.why.empty()) notes.push_back(sentence(one.why));
  if (may_be_layout(view, one))
    notes.emplace_back("Below 5 % this says: these two binaries; their code layouts differ too.");
  if (one.verdict == Verdict::kUnresolved && one.smallest_detectable > 0) {
    std::string text = "Smallest detectable effect: " + format_percent(one.smallest_detectable);
    if (one.rounds_needed)
      text += "; rounds needed for the effect seen: " + std::to_string(*one.rounds_needed);
    notes.push_back(text + ".");
  }
  if (one.repeated > 0)
    notes.push_back(sentence(plural(static_cast<std::size_t>(one.repeated), "round") +
                             " repeated for the environment's sake"));
  return join(notes, " ");
}

Table::Row result_row(const RunView& view, const LoadView& load, const Comparison& one) {
  Table::Row row;
  row.tone = tone_of(one.verdict);
  row.note = row_note(view, one);
  const ResolvedLoad* resolved = view.resolved(load.name, one.shape);
  row.cells = {view.label(one)};
  if (any_label(view)) row.cells.push_back(view.label_of(one.b));
  row.cells.push_back(resolved ? rate(resolved->rate) : "-");
  const std::vector<std::string> figures =
      has_figures(one)
          ? std::vector<std::string>{microseconds(one.us_a),
                                     microseconds(one.us_b),
                                     format_signed_percent(one.estimate.effect),
                                     interval(one.estimate),
                                     microseconds(one.us_saved),
                                     microsecond_range(one.us_saved_low, one.us_saved_high),
                                     wakes(one.wakes_a),
                                     wakes(one.wakes_b),
                                     interval(one.aa),
                                     format_percent(one.floor),
                                     fmt::format("{}/{}", one.won, one.rounds)}
          : std::vector<std::string>(11, "-");
  row.cells.insert(row.cells.end(), figures.begin(), figures.end());
  row.cells.emplace_back(measure::name(one.verdict));
  return row;
}

std::string arms_note(const RunView& view) {
  if (!view.several)
    return "A: " + code(view.variant("A")) + ". B: " + code(view.variant("B")) + ". ";
  return "Each row is one candidate against A, and holds for that: candidates of one block shared "
         "the slices of A and A', so chance moved their rows alike; a comparison of their own "
         "tells "
         "two candidates apart. Verdicts are adjusted for the number of rows (Holm). ";
}

Table result_table(const RunView& view, const LoadView& load) {
  Table table;
  table.title = view.several ? "CPU per request against A, by " + view.row_name()
                             : std::string("CPU per request, by shape");
  table.columns = row_columns(view);
  for (const Comparison* one : load.all()) table.rows.push_back(result_row(view, load, *one));
  table.note =
      arms_note(view) +
      (counts_whole_cpu(view) ? "Whole CPU: " + cpu_meaning(view)
                              : "CPU of the whole process tree over successful responses") +
      ", in microseconds (us). A percentage "
      "holds for its rate, arrivals and wakes alone; the microseconds saved carry further.";
  if (!load.untrained.empty()) table.note += " * not trained.";
  return table;
}

// The base at the head of its candidates.
Terms arms_terms(const RunView& view) {
  Terms terms;
  for (const Arm& arm : arms_of(view.run.proof.design)) {
    terms.items.push_back(
        {arm.name + (arm.name == view.run.proof.design.base.name ? ", the base" : ""),
         (arm.label.empty() ? "" : arm.label + ": ") + code(arm.variant)});
  }
  return terms;
}

// Rows of one block have their A/A in common: it stands beneath the last of them.
bool ends_block(const std::vector<const Comparison*>& rows, std::size_t i) {
  return i + 1 == rows.size() || rows[i + 1]->block != rows[i]->block ||
         rows[i + 1]->shape != rows[i]->shape;
}

Forest::Row forest_row(const std::string& label, const measure::Estimate& e,
                       const std::vector<double>& dots) {
  Forest::Row row;
  row.label = label;
  row.dots = dots;
  row.estimate = e.effect;
  row.low = e.low;
  row.high = e.high;
  row.figure = estimate(e);
  return row;
}

Forest result_forest(const RunView& view, const LoadView& load,
                     const std::vector<Forest::Tick>& axis) {
  Forest forest;
  forest.title = "Every round, at " + code(load.name);
  forest.axis = view.several ? "CPU per request against A, change in %"
                             : "CPU per request, B against A, change in %";
  forest.left = "less CPU";
  forest.right = "more CPU";
  forest.ticks = axis;
  forest.band_high = view.run.proof.design.settings.smallest_effect;
  forest.band_low = -forest.band_high;
  std::vector<std::string> words;
  std::vector<const Comparison*> rows = load.all();
  std::erase_if(rows, [](const Comparison* one) { return !has_figures(*one); });
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Comparison* one = rows[i];
    const std::string named = view.label_of(one->b);
    Forest::Row row = forest_row(view.label(*one) + (named.empty() ? "" : " " + named),
                                 one->estimate, one->round_effects);
    row.tone = tone_of(one->verdict);
    words.push_back(row.label + " " + row.figure + ", " + measure::name(one->verdict));
    forest.rows.push_back(row);
    if (!ends_block(rows, i)) continue;
    Forest::Row control = forest_row("A/A", one->aa, one->round_aa);
    control.control = true;
    words.back() += ", A/A " + control.figure;
    forest.rows.push_back(control);
  }
  forest.description = join(words, "; ");
  return forest;
}

Table rounds_table(const RunView& view, const LoadView& load) {
  Table table;
  table.title = "The dots as a table: change per round, at " + code(load.name);
  table.folded = true;
  std::size_t most = 0;
  for (const Comparison* one : load.all()) most = std::max(most, one->round_effects.size());
  table.columns = {{view.row_name()}, {"what"}};
  for (std::size_t i = 1; i <= most; ++i) table.columns.push_back({std::to_string(i), true});
  const auto add = [&](const std::string& label, const char* what,
                       const std::vector<double>& values) {
    Table::Row row{{label, what}};
    for (const double value : values) row.cells.push_back(format_signed_percent(value));
    row.cells.resize(most + 2);
    table.rows.push_back(row);
  };
  std::vector<const Comparison*> rows = load.all();
  std::erase_if(rows, [](const Comparison* one) { return one->round_effects.empty(); });
  for (std::size_t i = 0; i < rows.size(); ++i) {
    add(view.label(*rows[i]), view.several ? "against A" : "B against A", rows[i]->round_effects);
    if (ends_block(rows, i)) add("", "A/A", rows[i]->round_aa);
  }
  return table;
}

std::vector<const Comparison*> only_of(std::vector<const Comparison*> rows,
                                       const std::string& candidate) {
  std::erase_if(rows, [&candidate](const Comparison* one) { return one->b != candidate; });
  return rows;
}

Table::Row total_row(const RunView& view, const LoadView& load, const Total& total,
                     bool untrained) {
  const bool figures = total.verdict != Verdict::kFailed;
  Table::Row row;
  row.tone = tone_of(total.verdict);
  row.cells = {code(load.name)};
  if (view.several) row.cells.push_back(total.b);
  for (std::string& cell :
       std::vector<std::string>{asked_text(load), rate_span(view, load),
                                figures ? format_signed_percent(total.estimate.effect) : "-",
                                figures ? interval(total.estimate) : "-",
                                verdict_counts(only_of(load.trained, total.b))}) {
    row.cells.push_back(std::move(cell));
  }
  const auto others = only_of(load.untrained, total.b);
  if (untrained) row.cells.push_back(others.empty() ? "-" : verdict_counts(others));
  row.cells.emplace_back(measure::name(total.verdict));
  return row;
}

}  // namespace

std::optional<Section> total_section(const RunView& view) {
  // Of one shape at one load the totals are its rows once more.
  if (view.loads.size() == 1 && view.run.proof.design.shapes.size() == 1) return std::nullopt;
  Table table;
  table.title = view.rebuilt ? "Total over the trained shapes" : "Total";
  table.columns = {{"load"},
                   {"arm"},
                   {"asked for", false, 2},
                   {"requests/s", true},
                   {"effect", true},
                   {"95 % interval", true},
                   {"trained shapes", false, 1},
                   {"not trained *", false, 1},
                   {"verdict", false, 0, "", true}};
  if (!view.rebuilt) table.columns[6].name = "shapes";
  const bool untrained =
      view.rebuilt && std::any_of(view.loads.begin(), view.loads.end(),
                                  [](const LoadView& load) { return !load.untrained.empty(); });
  if (!untrained) table.columns.erase(table.columns.begin() + 7);
  if (!view.several) table.columns.erase(table.columns.begin() + 1);
  for (const LoadView& load : view.loads) {
    for (const Total* total : load.totals)
      table.rows.push_back(total_row(view, load, *total, untrained));
  }
  if (table.rows.empty()) return std::nullopt;
  table.note =
      "Shapes weighted by their shares of the traffic; per round the weighted mean of the "
      "shapes' log effects, then the interval over rounds. Neither load stands for the other.";
  if (table.rows.size() == 1)
    table.note = replace_all(table.note, " Neither load stands for the other.", "");
  return Section{"Total", {table}, true};
}

std::vector<Forest::Tick> effect_axis(const RunView& view) {
  double low = 0, high = view.run.proof.design.settings.smallest_effect;
  low = -high;
  const auto hold = [&](const measure::Estimate& e, const std::vector<double>& dots) {
    low = std::min(low, e.low);
    high = std::max(high, e.high);
    for (const double dot : dots) low = std::min(low, dot), high = std::max(high, dot);
  };
  for (const LoadView& load : view.loads) {
    for (const Comparison* one : load.all()) {
      if (!has_figures(*one)) continue;
      hold(one->estimate, one->round_effects);
      hold(one->aa, one->round_aa);
    }
  }
  return percent_ticks(low, high);
}

Section load_section(const RunView& view, const LoadView& load,
                     const std::vector<Forest::Tick>& axis) {
  Section section;
  const std::string asked = asked_text(load);
  section.title = "At " + code(load.name) + (asked.empty() ? "" : ": " + asked);
  section.summary = true;
  if (view.several && &load == &view.loads.front()) section.parts.emplace_back(arms_terms(view));
  section.parts.emplace_back(result_table(view, load));
  Forest forest = result_forest(view, load, axis);
  if (!forest.rows.empty()) {
    section.parts.emplace_back(std::move(forest));
    section.parts.emplace_back(rounds_table(view, load));
  }
  return section;
}

Section findings_section(const RunView& view) {
  Section section{"Findings", {}, true};
  Terms terms;
  for (const Finding& finding : view.findings()) {
    const Tone tone = finding.severity == "serious"   ? Tone::kBad
                      : finding.severity == "warning" ? Tone::kNote
                                                      : Tone::kPlain;
    std::string text = sentence(finding.text);
    if (!finding.advice.empty()) text += " Advice: " + finding.advice;
    terms.items.push_back({finding.severity + ": " + finding.id, sentence(text), tone});
  }
  if (terms.items.empty())
    section.parts.emplace_back(
        Sentence{"None: no check of the machine, the training or the rounds "
                 "had anything to say."});
  else
    section.parts.emplace_back(std::move(terms));
  return section;
}

}  // namespace hone::pipeline::report
