// The parts of a run's report, one function each; run_report.cc puts them in reading order. A
// function whose subject is absent (no builds, no profile) returns nothing.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "pipeline/report/run_view.h"

namespace hone::pipeline::report {

// headline.cc
std::string title(const RunView&);
Sentence headline(const RunView&);
std::vector<Sentence> lead(const RunView&);
Terms facts(const RunView&);
// "6 of 6 shapes saved", "4 of 6 shapes saved, 1 same, 1 unresolved". `what`: is counted.
std::string verdict_counts(const std::vector<const Comparison*>&,
                           const std::string& what = "shape");

// results.cc
std::optional<Section> total_section(const RunView&);
Section load_section(const RunView&, const LoadView&, const std::vector<Forest::Tick>& axis);
std::vector<Forest::Tick> effect_axis(const RunView&);  // one for all loads: they can be compared
Section findings_section(const RunView&);

// questions.cc
Section questions_section(const RunView&);

// conditions.cc
Section load_conditions_section(const RunView&);
Section latency_section(const RunView&);
Section statistics_section(const RunView&);
Section environment_section(const RunView&);

// hosts.cc
std::vector<Terms::Item> host_terms(const Design&);  // nothing for what runs here
std::string cpus_text(const Design&);                // "server 1; load and origin 0"
bool load_is_far(const RunView&);
bool counts_whole_cpu(const RunView&);
std::string cpu_meaning(const RunView&);  // of a request, in a report's words
std::optional<Sentence> far_load_sentence(const RunView&, const LoadView&);

// checks.cc
std::optional<Table> checks_table(const RunView&);
// Where the whole CPU is more than two points from a headline by the charged one: both are
// headlines then.
std::optional<Sentence> whole_cpu_sentence(const RunView&, const LoadView&);

// work_and_wakes.cc
std::optional<Section> work_section(const RunView&);

// counters.cc
std::optional<Section> counters_section(const RunView&);

// machine_state.cc
std::optional<Table> machine_state_table(const RunView&);
std::optional<Sentence> settings_sentence(const RunView&);

// costs.cc
std::optional<Section> build_section(const RunView&);
std::optional<Section> profile_section(const RunView&);

// context.cc
Section machine_section(const RunView&);
Section repeat_section(const RunView&);
Section glossary_section(const RunView&);

}  // namespace hone::pipeline::report
