// The effect seen in other ways than the one the verdict is drawn from, beside it.
#include <fmt/format.h>

#include <cmath>

#include "base/units.h"
#include "pipeline/report/sections.h"
#include "pipeline/report/words.h"

namespace hone::pipeline::report {
namespace {

// The two views of CPU (charged, and not available to others) are both headlines from here on.
constexpr double kViewsApart = 0.02;

const char* way(RoundKind kind) {
  switch (kind) {
    case RoundKind::kSlices:
      return "slices that alternate";
    case RoundKind::kInTurn:
      return "arms in turn, each alone alive";
    case RoundKind::kWithoutSpinner:
      return "without the idle spinner";
  }
  return "";
}

std::string rounds_or_dash(const std::optional<int>& rounds) {
  return rounds ? std::to_string(*rounds) : "-";
}

Table::Row check_row(const Check& check) {
  const bool figures = check.rounds >= 2;
  return {{"", way(check.kind), std::to_string(check.rounds),
           format_signed_percent(check.estimate.effect), figures ? interval(check.estimate) : "-",
           figures ? format_percent(check.pair_sd) : "-", rounds_or_dash(check.rounds_for_1pct)}};
}

void add_rows(const RunView& view, const LoadView& load, const Comparison& one, Table* table) {
  if (one.rounds < 2 || (one.checks.empty() && !one.whole_cpu && !one.charged_cpu)) return;
  table->rows.push_back(
      {{view.label(one) + " at " + code(load.name),
        std::string("counted: ") + way(counted_kind(view.run.proof.design.settings)),
        std::to_string(one.rounds), format_signed_percent(one.estimate.effect),
        interval(one.estimate), format_percent(one.pair_sd), rounds_or_dash(one.rounds_for_1pct)}});
  for (const Check& check : one.checks) table->rows.push_back(check_row(check));
  for (const auto& [what, other] : {std::pair{"CPU not available to others", &one.whole_cpu},
                                    {"CPU charged to the processes", &one.charged_cpu}}) {
    if (!*other) continue;
    const CpuView& by = **other;
    table->rows.push_back(
        {{"",
          fmt::format("{}: {} against {} us", what, microseconds(by.us_a), microseconds(by.us_b)),
          std::to_string(one.rounds), format_signed_percent(by.estimate.effect),
          interval(by.estimate), "-", "-"}});
  }
}

}  // namespace

std::optional<Table> checks_table(const RunView& view) {
  Table table;
  table.title = "The same effect, seen in other ways";
  table.columns = {{view.row_name()},
                   {"how"},
                   {"rounds", true},
                   {"effect", true},
                   {"95 % interval", true},
                   {"pair SD", true, 0, "standard deviation of the per-round log effects"},
                   {"rounds for 1 %", true, 0, "of this kind, to find 1 % with 80 % power"}};
  for (const LoadView& load : view.loads) {
    for (const Comparison* one : load.all()) add_rows(view, load, *one, &table);
  }
  if (table.rows.empty()) return std::nullopt;
  table.note =
      "Checks on the counted rounds; none of them makes a verdict. CPU not available to others is "
      "what "
      "the idle spinner could not have of the server's CPUs: it includes work in soft interrupts, "
      "which is "
      "charged to no process of the arm.";
  if (counts_whole_cpu(view)) {
    table.note +=
        " The load came from another host, so the counted rows and those in turn are by it.";
  }
  return table;
}

std::optional<Sentence> whole_cpu_sentence(const RunView& view, const LoadView& load) {
  std::string text;
  for (const Comparison* one : load.all()) {
    if (!one->whole_cpu || one->rounds < 2) continue;
    const measure::Estimate& whole = one->whole_cpu->estimate;
    if (std::fabs(whole.effect - one->estimate.effect) <= kViewsApart) continue;
    text += (text.empty() ? "" : "; ") + code(view.label(*one)) + " " + estimate(whole) +
            " instead of " + estimate(one->estimate);
  }
  if (text.empty()) return std::nullopt;
  return Sentence{
      "By what its load leaves of the server's CPUs, soft interrupts included, the change is "
      "another: " +
          text + ".",
      Tone::kNote};
}

}  // namespace hone::pipeline::report
