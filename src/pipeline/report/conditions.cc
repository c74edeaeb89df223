// Under what load and in what surroundings the figures came to be, and what was seen beside the
// CPU.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "base/text.h"
#include "base/units.h"
#include "pipeline/report/sections.h"
#include "pipeline/report/words.h"

namespace hone::pipeline::report {
namespace {

std::string percent_or_dash(double ratio) { return ratio > 0 ? format_percent(ratio, 0) : "-"; }

double mean_of(const std::vector<const Trial*>& trials,
               const std::function<double(const Trial&)>& value) {
  double sum = 0;
  for (const Trial* trial : trials) sum += value(*trial);
  return trials.empty() ? 0 : sum / static_cast<double>(trials.size());
}

double per_answer(const Trial& trial, double total) {
  return trial.ok > 0 ? total / static_cast<double>(trial.ok) : 0;
}

// Calls `each` for every comparison, load by load; the load's name stands in its first row only.
void for_each_row(
    const RunView& view,
    const std::function<void(const std::string&, const LoadView&, const Comparison&)>& each) {
  for (const LoadView& load : view.loads) {
    std::string name = code(load.name);
    for (const Comparison* one : load.all()) {
      each(name, load, *one);
      name.clear();
    }
  }
}

// The share that a busy loop got beside the spinner, measured before each stretch of rounds.
std::string spinner_text(const Proof& proof) {
  double least = 1;
  std::size_t with = 0, all = 0;
  for (const Round& round : proof.rounds) {
    if (round.kind == RoundKind::kWithoutSpinner) continue;
    ++all;
    if (round.spinner_share <= 0) continue;
    least = std::min(least, round.spinner_share);
    ++with;
  }
  if (with == 0) return "off: the server's CPUs may halt between requests";
  return "an idle-class thread kept the server's CPUs awake in " + format_count(with) + " of " +
         plural(all, "round") + "; a busy loop beside it got at least " + format_percent(least) +
         " of its CPU";
}

// Of the counted round in which the workers had the least even share.
std::string spread_text(const Proof& proof) {
  const subject::WorkerSpread* worst = nullptr;
  std::size_t unknown = 0;
  std::size_t trials = 0;
  for (const Round& round : proof.rounds) {
    if (!round.valid) continue;
    for (const Trial& trial : round.trials) {
      ++trials;
      if (!trial.workers.known()) ++unknown;
      if (worst == nullptr || !trial.workers.known() ||
          (worst->known() && off_fair(trial.workers) > off_fair(*worst)))
        worst = &trial.workers;
    }
  }
  if (worst == nullptr) return "no round was counted";
  if (unknown > 0)
    return fmt::format("not known in {} of {} trials: {}", unknown, trials, worst->unknown);
  return to_string(*worst) + " where they were least even, of " + plural(trials, "trial");
}

Terms rig(const RunView& view) {
  const Proof& proof = view.run.proof;
  const Design& design = proof.design;
  const Prove& settings = design.settings;
  Terms terms;
  const int workers = std::max(1, design.base.server.workers);
  std::string connections = format_count(static_cast<std::uint64_t>(settings.connections) *
                                         static_cast<std::uint64_t>(workers));
  if (workers > 1)
    connections += fmt::format(", {} for each of {} workers", settings.connections, workers);
  else
    connections += ", one worker";
  terms.items.push_back({"connections", connections + "; HTTP/2: up to " +
                                            std::to_string(settings.streams) + " streams each"});
  if (workers > 1) terms.items.push_back({"connections on the workers", spread_text(proof)});
  terms.items.push_back({"CPUs", cpus_text(design)});
  for (Terms::Item& item : host_terms(design)) terms.items.push_back(std::move(item));
  terms.items.push_back({"spinner", spinner_text(proof)});
  terms.items.push_back(
      {"slices",
       fmt::format("{} an arm and round, {} each; the first {} carry load and are not counted",
                   settings.slices, format_duration(settings.slice_s),
                   format_duration(settings.head_s))});
  terms.items.push_back({"smallest effect that matters", format_percent(settings.smallest_effect)});
  return terms;
}

Table load_table(const RunView& view) {
  Table table;
  table.title = "Rates and what set them";
  table.columns = {{"load"},
                   {view.row_name()},
                   {"requests/s", true, 0, "as set"},
                   {"achieved A", true, 0, "mean over counted rounds"},
                   {"achieved " + view.b(), true, 0, "mean over counted rounds"},
                   {"arrivals"},
                   {"which bound held"},
                   {"server busy", true, 0, "share of the server's CPUs at that rate, baseline"},
                   {"load busy", true, 0, "share of the CPUs of load and origin at that rate"}};
  for_each_row(view, [&](const std::string& name, const LoadView& load, const Comparison& one) {
    const ResolvedLoad* resolved = view.resolved(load.name, one.shape);
    if (!resolved) return;
    const auto achieved = [&](const std::string& arm) {
      const auto trials = view.trials(one, arm);
      return trials.empty() ? std::string("-")
                            : rate(mean_of(trials, [](const Trial& t) { return t.achieved_rate; }));
    };
    table.rows.push_back(
        {{name, view.label(one), rate(resolved->rate), achieved(one.a), achieved(one.b),
          code(resolved->arrivals), resolved->bound, percent_or_dash(resolved->server_busy),
          percent_or_dash(resolved->client_busy)}});
  });
  return table;
}

// The kernel samples user and system time at ticks of 4 ms (250 Hz, Debian's kernels); below 5,000
// of them the split's own error is above 0.7 points and it is not printed.
constexpr double kTicksPerSecond = 250;
constexpr double kLeastTicks = 5000;

std::string user_share(const std::vector<const Trial*>& trials) {
  double cpu_s = 0, user_s = 0;
  for (const Trial* trial : trials) {
    cpu_s += trial->cpu_total_s;
    user_s += trial->cpu_total_s * trial->user_share;
  }
  const double ticks = cpu_s * kTicksPerSecond;
  if (ticks < kLeastTicks) return "-";
  const double share = user_s / cpu_s;
  return fmt::format("{} +- {:.1f}", format_percent(share),
                     100 * std::sqrt(share * (1 - share) / ticks));
}

Table beside_table(const RunView& view) {
  Table table;
  table.title = "Beside the CPU per request: described, not judged";
  table.folded = true;
  table.columns = {{"load"},
                   {view.row_name()},
                   {"idle A, us/s", true, 0, "CPU an arm burns without load"},
                   {"idle " + view.b() + ", us/s", true},
                   {"client us A", true, 0, "CPU of load and origin per answer"},
                   {"client us " + view.b(), true},
                   {"client wakes A", true},
                   {"client wakes " + view.b(), true},
                   {"user share A", true, 0, "sampled at ticks; - below 5,000 of them"},
                   {"user share " + view.b(), true},
                   {"ready A", true, 0, "from start to ready, mean"},
                   {"ready " + view.b(), true}};
  for_each_row(view, [&](const std::string& name, const LoadView&, const Comparison& one) {
    const auto a = view.trials(one, one.a), b = view.trials(one, one.b);
    if (a.empty() || b.empty()) return;
    Table::Row row{{name, view.label(one)}};
    const auto add = [&](const std::function<std::string(const std::vector<const Trial*>&)>& text) {
      row.cells.push_back(text(a));
      row.cells.push_back(text(b));
    };
    add([](const auto& t) {
      return fmt::format("{:.0f}", mean_of(t, [](const Trial& x) { return x.idle_cpu_us_per_s; }));
    });
    add([](const auto& t) {
      return microseconds(
          mean_of(t, [](const Trial& x) { return per_answer(x, x.client_cpu_s * 1e6); }));
    });
    add([](const auto& t) {
      return wakes(mean_of(
          t, [](const Trial& x) { return per_answer(x, static_cast<double>(x.client_wakes)); }));
    });
    add(user_share);
    add([](const auto& t) {
      return format_duration(mean_of(t, [](const Trial& x) { return x.ready_s; }));
    });
    table.rows.push_back(row);
  });
  return table;
}

Table spoiled_table(const RunView& view) {
  Table table;
  table.title = "Rounds repeated, and why";
  table.columns = {{"load"},          {"shape"},   {"round"},
                   {"attempt", true}, {"started"}, {"why", false, 0, "", true}};
  for (const Round& round : view.run.proof.rounds)
    if (!round.valid)
      table.rows.push_back({{code(round.load), view.place(round), round_name(round),
                             std::to_string(round.attempt), round.started_at, round.why_invalid},
                            Tone::kNote});
  return table;
}

std::vector<std::string> environment_cells(const measure::Environment& e) {
  return {
      format_percent(e.steal, 2),     format_percent(e.foreign_cpu, 2),
      format_percent(e.run_delay, 2), format_duration(e.throttled_s),
      format_percent(e.missed, 3),    e.spin_drift ? format_signed_percent(*e.spin_drift) : "-"};
}

void add_environment_columns(Table* table) {
  for (Table::Column column : std::initializer_list<Table::Column>{
           {"steal", true, 0,
            "share of wall time the hypervisor took; a round is repeated above 0.5 %"},
           {"foreign CPU", true, 0, "used by anything but the arms; repeated above 1 %"},
           {"run delay", true, 0, "arms runnable without a CPU; repeated above 2 %"},
           {"throttled", true, 0, "by a CPU quota"},
           {"missed", true, 0,
            "requests skipped because the generator was late; repeated above 0.1 %"},
           {"spin drift", true, 0, "change of a fixed loop's speed; repeated above 2 %"}}) {
    table->columns.push_back(std::move(column));
  }
}

Table worst_table(const RunView& view) {
  Table table;
  table.title = "The worst counted round of each " + view.row_name();
  table.columns = {{"load"}, {view.row_name()}, {"counted", true}, {"repeated", true}};
  add_environment_columns(&table);
  for_each_row(view, [&](const std::string& name, const LoadView&, const Comparison& one) {
    measure::Environment worst;
    std::size_t counted = 0, repeated = 0;
    for (const Round* round : view.rounds(one)) {
      if (!round->valid) {
        ++repeated;
        continue;
      }
      ++counted;
      worst = measure::worst_of(worst, round->environment);
    }
    Table::Row row{{name, view.label(one), std::to_string(counted), std::to_string(repeated)}};
    for (std::string& cell : environment_cells(worst)) row.cells.push_back(std::move(cell));
    table.rows.push_back(std::move(row));
  });
  return table;
}

Table every_round_table(const RunView& view) {
  Table table;
  table.title = "Every round";
  table.folded = true;
  table.columns = {{"load"}, {"shape"}, {"round"}, {"started", false, 1}, {"spinner"}};
  add_environment_columns(&table);
  for (const Round& round : view.run.proof.rounds) {
    Table::Row row{{code(round.load), view.place(round),
                    round_name(round) + (round.valid ? "" : " (repeated)"), round.started_at,
                    round.spinner_share > 0 ? format_percent(round.spinner_share) : "off"},
                   round.valid ? Tone::kPlain : Tone::kNote};
    for (std::string& cell : environment_cells(round.environment))
      row.cells.push_back(std::move(cell));
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace

Section load_conditions_section(const RunView& view) {
  return {"Load conditions", {rig(view), load_table(view), beside_table(view)}, false};
}

Section latency_section(const RunView& view) {
  Table table;
  table.title = "Latency from the due time, median over rounds";
  table.columns = {{"load"}, {view.row_name()}};
  for (const char* figure : {"p50 ", "p99 ", "max "}) {
    table.columns.push_back({std::string(figure) + "A", true});
    table.columns.push_back({figure + view.b(), true});
  }
  for_each_row(view, [&](const std::string& name, const LoadView&, const Comparison& one) {
    if (one.rounds < 2) return;
    Table::Row row{{name, view.label(one)}};
    for (const auto figure :
         {&traffic::load::LatencySummary::p50, &traffic::load::LatencySummary::p99,
          &traffic::load::LatencySummary::max}) {
      row.cells.push_back(format_duration(one.latency_a.*figure * 1e-6));
      row.cells.push_back(format_duration(one.latency_b.*figure * 1e-6));
    }
    table.rows.push_back(row);
  });
  return {
      "Latency",
      {Sentence{
           "These rounds were not designed to measure latency: several arms are alive at once and "
           "slices are short. Read a direction here, not a size.",
           Tone::kNote},
       table},
      false};
}

Section statistics_section(const RunView& view) {
  Table table;
  table.title = "How sure";
  table.columns = {{"load"},
                   {view.row_name()},
                   {"rounds", true},
                   {"pair SD", true, 0, "standard deviation of the per-round log effects"},
                   {"p", true, 0, "two-sided t test of no effect, before Holm's adjustment"},
                   {"Hodges-Lehmann", true, 2, "a median of the effect: description only"},
                   {"A/A", true, 1, "the copy of A against A"},
                   {"smallest detectable", true, 0, "with 80 % power at this number of rounds"},
                   {"rounds needed", true, 0, "to resolve the effect seen"},
                   {"verdict", false, 0, "", true}};
  for_each_row(view, [&](const std::string& name, const LoadView&, const Comparison& one) {
    if (one.rounds < 2) return;
    table.rows.push_back(
        {{name, view.label(one), std::to_string(one.rounds), format_percent(one.pair_sd),
          one.p_value < 0.0001 ? "< 0.0001" : fmt::format("{:.4f}", one.p_value),
          format_signed_percent(one.hodges_lehmann), estimate(one.aa),
          format_percent(one.smallest_detectable),
          one.rounds_needed ? std::to_string(*one.rounds_needed) : "-", measure::name(one.verdict)},
         tone_of(one.verdict)});
  });
  table.note =
      "Per round: effect = ln B - (ln A + ln A')/2, control = ln A' - ln A. Verdicts of " +
      std::string(view.several ? "all candidates on " : "") +
      "the trained shapes of one load are Holm-adjusted. First match wins: failed, withheld, same, "
      "saved or worse, unresolved.";
  Section section{"Statistics", {table}, false};
  if (auto checks = checks_table(view)) section.parts.emplace_back(*std::move(checks));
  return section;
}

Section environment_section(const RunView& view) {
  Section section{"Machine state under the rounds", {worst_table(view)}, false};
  Table spoiled = spoiled_table(view);
  if (spoiled.rows.empty())
    section.parts.emplace_back(Sentence{"No round was repeated."});
  else
    section.parts.emplace_back(std::move(spoiled));
  section.parts.emplace_back(every_round_table(view));
  if (auto table = machine_state_table(view)) section.parts.emplace_back(*std::move(table));
  if (auto settings = settings_sentence(view)) section.parts.emplace_back(*std::move(settings));
  return section;
}

}  // namespace hone::pipeline::report
