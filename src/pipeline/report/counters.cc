// What the CPU time was spent on, as far as this machine counts it: figures beside the verdict, or
// the reason why there is none. Nothing here is tested for significance.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

#include "base/text.h"
#include "base/units.h"
#include "measure/counters/energy.h"
#include "pipeline/report/sections.h"
#include "pipeline/report/words.h"

namespace hone::pipeline::report {
namespace {

// Top-down, level 1: each of four is told as a share of the slots that the CPU had.
constexpr auto kSlots = system::PerfEvent::kTopdownSlots;
constexpr const char* kShareOfSlots = "top-down: ";

using Trials = std::vector<const Trial*>;

// Per request over all counted rounds; nothing where no round has it.
struct PerRequest {
  double count = 0, ok = 0;
  std::optional<double> value() const {
    return ok > 0 ? std::optional<double>(count / ok) : std::nullopt;
  }
};

PerRequest sum_of(const Trials& trials, const std::function<double(const Trial&)>& count) {
  PerRequest sum;
  for (const Trial* trial : trials) {
    sum.count += count(*trial);
    sum.ok += static_cast<double>(trial->ok);
  }
  return sum;
}

PerRequest events_of(const Trials& trials, const std::string& name) {
  PerRequest sum;
  for (const Trial* trial : trials) {
    for (const measure::Counter& counter : trial->events) {
      if (counter.name != name || !counter.unavailable.empty()) continue;
      sum.count += counter.count;
      sum.ok += static_cast<double>(counter.ok);
    }
  }
  return sum;
}

// Three digits at least: "125,300", "48.2", "0.0031".
std::string figure(double value) {
  if (value == 0) return "0";
  const double size = std::abs(value);
  if (size >= 1000) return format_count(static_cast<std::uint64_t>(std::llround(value)));
  if (size >= 10) return fmt::format("{:.1f}", value);
  return fmt::format("{:.{}f}", value, size >= 1 ? 2 : size >= 0.1 ? 3 : 4);
}

// Adds a row where both arms have a figure.
void add_row(Table* table, std::string* shape, const std::string& what, std::optional<double> a,
             std::optional<double> b) {
  if (!a || !b) return;
  table->rows.push_back({{*shape, what, figure(*a), figure(*b),
                          *a > 0 ? format_signed_percent(*b / *a - 1) : std::string("-")}});
  shape->clear();  // it stands in its first row only
}

std::optional<double> ratio(const PerRequest& above, const PerRequest& below) {
  if (above.ok <= 0 || below.count <= 0) return std::nullopt;
  return above.count / below.count;
}

std::vector<std::string> event_names() {
  std::vector<std::string> names;
  for (const measure::EventSet& set : measure::event_sets()) {
    for (const auto event : set) names.emplace_back(measure::name(event));
  }
  return names;
}

// Of the rounds in which energy is measured, counted or not.
PerRequest energy_of(const RunView& view, const LoadView& load, const Comparison& one,
                     const std::string& arm) {
  Trials trials;
  for (const Round& round : view.run.proof.rounds) {
    if (!round.valid || round.load != load.name || round.shape != one.shape ||
        block_of(round) != one.block)
      continue;
    for (const Trial& trial : round.trials)
      if (trial.arm == arm) trials.push_back(&trial);
  }
  return events_of(trials, measure::kEnergyCounter);
}

void add_shape(const RunView& view, const LoadView& load, const Comparison& one, Table* table) {
  const Trials a = view.trials(one, one.a);
  const Trials b = view.trials(one, one.b);
  std::string shape = view.label(one) + " at " + code(load.name);
  const auto add = [&](const std::string& what, const std::function<double(const Trial&)>& count) {
    add_row(table, &shape, what, sum_of(a, count).value(), sum_of(b, count).value());
  };
  const auto of_slots = [](const Trials& trials, const std::string& name) {
    auto share = ratio(events_of(trials, name), events_of(trials, measure::name(kSlots)));
    if (share) *share *= 100;
    return share;
  };
  for (const std::string& name : event_names()) {
    if (name.starts_with(kShareOfSlots)) {
      add_row(table, &shape, name + ", % of slots", of_slots(a, name), of_slots(b, name));
      continue;
    }
    const PerRequest of_a = events_of(a, name);
    const PerRequest of_b = events_of(b, name);
    if (of_a.count == 0 && of_b.count == 0) continue;  // neither makes system calls of this class
    add_row(table, &shape, name, of_a.value(), of_b.value());
  }
  const auto per_cycle = [](const Trials& trials) {
    return ratio(events_of(trials, measure::name(system::PerfEvent::kInstructionsUser)),
                 events_of(trials, measure::name(system::PerfEvent::kCyclesUser)));
  };
  add_row(table, &shape, "instructions per cycle, user", per_cycle(a), per_cycle(b));
  add_row(table, &shape, measure::kCgroupCounter, events_of(a, measure::kCgroupCounter).value(),
          events_of(b, measure::kCgroupCounter).value());
  add("page faults", [](const Trial& t) { return static_cast<double>(t.minor_faults); });
  add("page faults from disk", [](const Trial& t) { return static_cast<double>(t.major_faults); });
  add("preemptions", [](const Trial& t) { return static_cast<double>(t.preempted); });
  add("waiting for a CPU, us", [](const Trial& t) { return t.run_delay_s * 1e6; });
  add_row(table, &shape, measure::kEnergyCounter, energy_of(view, load, one, one.a).value(),
          energy_of(view, load, one, one.b).value());
}

const Simulated* simulated_of(const RunView& view, const std::string& shape,
                              const std::string& arm) {
  for (const Simulated& one : view.run.proof.simulated) {
    if (one.shape == shape && one.arm == arm && one.unavailable.empty()) return &one;
  }
  return nullptr;
}

Table simulated_table(const RunView& view) {
  Table table;
  table.title = "Per request on a simulated CPU: beside the measured ones, never instead";
  table.folded = true;
  table.columns = {{view.row_name()},
                   {"simulated"},
                   {"A", true},
                   {view.b(), true},
                   {"change", true, 0, "of totals"}};
  for (const Comparison* one : view.loads.front().all()) {
    const Simulated* a = simulated_of(view, one->shape, one->a);
    const Simulated* b = simulated_of(view, one->shape, one->b);
    if (a == nullptr || b == nullptr) continue;
    std::string shape = view.label(*one);
    const auto add = [&](const char* what, double measure::SimulatedCounts::* count) {
      add_row(&table, &shape, what, a->per_request.*count, b->per_request.*count);
    };
    add("instructions, user", &measure::SimulatedCounts::instructions);
    add("L1i misses, user", &measure::SimulatedCounts::l1i_misses);
    add("last-level cache misses, user", &measure::SimulatedCounts::ll_misses);
  }
  table.note =
      "By valgrind's callgrind, one request at a time: no kernel, no branch prediction, no time. "
      "Where a build moves code about, this can disagree in sign with cycles.";
  return table;
}

Table counters_table(const RunView& view) {
  Table table;
  table.title = "Counters per request: described, not judged";
  table.folded = true;
  table.columns = {{view.row_name()},
                   {"counter"},
                   {"A", true},
                   {view.b(), true},
                   {"change", true, 0, "of totals"}};
  for (const LoadView& load : view.loads) {
    for (const Comparison* one : load.all()) add_shape(view, load, *one, &table);
  }
  table.note =
      "Page faults, preemptions and waiting come from the slices of the counted rounds. Events of "
      "the "
      "CPU and system calls are counted in slices of their own, because counting costs CPU itself; "
      "energy in rounds in turn, with one arm alive and no spinner. Classes of system calls that "
      "neither arm makes are left out.";
  return table;
}

// Counters without a figure, those with one reason together.
Terms missing_counters(const RunView& view) {
  Terms terms;
  terms.title = "Counters without a figure";
  std::map<std::string, std::vector<std::string>> names;  // by reason
  for (const Round& round : view.run.proof.rounds) {
    for (const Trial& trial : round.trials) {
      for (const measure::Counter& counter : trial.events) {
        if (counter.unavailable.empty()) continue;
        auto& known = names[counter.unavailable];
        if (std::find(known.begin(), known.end(), counter.name) == known.end())
          known.push_back(counter.name);
      }
    }
  }
  for (const Simulated& one : view.run.proof.simulated) {
    if (one.unavailable.empty()) continue;
    names[one.unavailable].push_back("simulated, arm " + one.arm + " on " + one.shape);
  }
  for (const auto& [reason, counters] : names)
    terms.items.push_back({join(counters, "; "), sentence(reason)});
  return terms;
}

std::string thread_text(const Trial& trial) {
  double all_s = 0;
  for (const measure::ThreadCost& thread : trial.threads) all_s += thread.cpu_s;
  std::vector<std::string> texts;
  for (const measure::ThreadCost& thread : trial.threads) {
    texts.push_back(fmt::format("{} {}", thread.name, format_percent(thread.cpu_s / all_s, 0)));
    if (thread.migrations && *thread.migrations > 0)
      texts.back() += fmt::format(" ({})", plural(*thread.migrations, "migration"));
  }
  return join(texts, ", ");
}

// Of arms with several threads that work.
Table threads_table(const RunView& view) {
  Table table;
  table.title = "CPU by thread, in the last counted round";
  table.folded = true;
  table.columns = {{view.row_name()}, {"arm"}, {"share of the arm's CPU"}};
  for (const LoadView& load : view.loads) {
    for (const Comparison* one : load.all()) {
      for (const std::string& arm : {one->a, one->b}) {
        const Trials trials = view.trials(*one, arm);
        if (trials.empty() || trials.back()->threads.size() < 2) continue;
        table.rows.push_back(
            {{view.label(*one) + " at " + code(load.name), arm, thread_text(*trials.back())}});
      }
    }
  }
  return table;
}

}  // namespace

std::optional<Section> counters_section(const RunView& view) {
  Section section{"Counters", {}, false};
  Table counters = counters_table(view);
  if (!counters.rows.empty()) section.parts.emplace_back(std::move(counters));
  Table simulated = simulated_table(view);
  if (!simulated.rows.empty()) section.parts.emplace_back(std::move(simulated));
  Terms missing = missing_counters(view);
  if (!missing.items.empty()) section.parts.emplace_back(std::move(missing));
  Table threads = threads_table(view);
  if (!threads.rows.empty()) section.parts.emplace_back(std::move(threads));
  if (section.parts.empty()) return std::nullopt;
  return section;
}

}  // namespace hone::pipeline::report
